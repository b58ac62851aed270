/* uri.h - paths of files as URIs, and back. */
#ifndef PS_REPORT_PRINT_URI_H
#define PS_REPORT_PRINT_URI_H

/* `scheme`, such as "file://", and the path with all that means something in a URI encoded. malloc'ed; NULL
 * when there is no memory. */
char *ps_uri_encode(const char *scheme, const char *path);

/* The path of a file:// URI on this machine. malloc'ed; NULL: it is none, or there is no memory. */
char *ps_uri_path(const char *uri);

/* The working folder with a slash at its end. malloc'ed; NULL: it cannot be told, or there is no memory. */
char *ps_path_working_folder(void);

/* `path` as it is found from `folder`, which is absolute, without "." and "..": by the text alone. malloc'ed;
 * NULL when there is no memory. */
char *ps_path_join(const char *folder, const char *path);

/* A path as seen from `folder`, which may be NULL: without it, and without "./". What is elsewhere stays. */
const char *ps_path_below(const char *folder, const char *path);

#endif
