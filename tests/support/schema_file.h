/* schema_file.h - a schema in docs/ is what the tables of the program give. */
#ifndef PS_TESTS_SUPPORT_SCHEMA_FILE_H
#define PS_TESTS_SUPPORT_SCHEMA_FILE_H

/* Fails when the file is another one; with UPDATE_SCHEMAS set in the environment it is written instead. */
void schema_file_check(const char *path, const char *text);

#endif
