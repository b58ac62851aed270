/* folder.h - folders and all that is in them. */
#ifndef PS_CORE_BASE_FOLDER_H
#define PS_CORE_BASE_FOLDER_H

/* Removes it with everything below it, and follows no link. What cannot be removed stays: callers clean up,
 * and can do no more. */
void ps_folder_remove(const char *path);

#endif
