/* lab.h - a folder with an archive built byte by byte, and what the OTF2 reader makes of it. */
#ifndef PS_TESTS_READER_OTF2_LAB_H
#define PS_TESTS_READER_OTF2_LAB_H

#include "reader/otf2/otf2.h"
#include "tests/reader/otf2/build.h"

#define U(x)  ((uint64_t)(x))
#define NO_ID UINT64_MAX

enum { OTF2_LAB_CHUNK = 512, OTF2_LAB_EVENTS = 4096 };

typedef struct otf2_opened {
        char folder[32];
        ps_defs defs;
        ps_issues issues;
        ps_reader *reader;
        ps_event event[OTF2_LAB_EVENTS]; /* of the location that was read last */
        uint32_t n;
} otf2_opened;

extern otf2_opened otf2_lab;

/* For cmocka: an empty folder; no folder and nothing open. */
int otf2_lab_make(void **state);
int otf2_lab_drop(void **state);

/* Definitions are to be freed also when it fails. */
ps_status otf2_lab_try(const char *path, ps_error *err);
void otf2_lab_open(const char *path); /* which must not fail */
void otf2_lab_close(void);
void otf2_lab_read(ps_loc location);
uint64_t otf2_lab_issue(ps_issue_kind kind);

/* Two processes with a location each (ids 0 and 7), MPI_COMM_WORLD, two regions; 1e9 ticks/s from 1000 on. */
void otf2_lab_defs(build *b, int with_end);
/* The same as files t.otf2, t.def, t/0.def and t/7.def. */
void otf2_lab_save_defs(int big);

/* Four events of location 0, without the end of the file; as they are read. */
void otf2_lab_events(build *b);
void otf2_lab_save_events(build *b, int location);
void otf2_lab_check_events(void);

#endif
