/* sites.h - places with the words in which reports for editors and reviewers speak of them: one pattern at
 * one call path, all ranks together. A list of findings would repeat each line for every rank. */
#ifndef PS_REPORT_FACTS_SITES_H
#define PS_REPORT_FACTS_SITES_H

#include "report/facts/places.h"
#include "report/print/row.h"

typedef struct ps_site {
        const ps_report_finding *largest; /* of the findings of the place */
        ps_proc most;                     /* its process */
        const ps_proc *process;           /* of all of them, in rising order */
        uint32_t n;
        uint64_t count;
        ps_time lost;
        double share;
        uint32_t nth; /* of the places of the same site, whose lines differ; from 0 on, in the order of lines
                       */
} ps_site;

typedef struct ps_sites {
        ps_report_places places;
        ps_site *row; /* in the places' order */
        uint32_t n;
        ps_proc *processes; /* what the rows point into */
} ps_sites;

ps_status ps_sites_new(ps_sites **out, const ps_report *report, bool with_ignored, ps_error *err);
void ps_sites_free(ps_sites *sites);

/* How a format writes a name from the trace: cleaned and escaped. */
typedef void (*ps_name_writer)(ps_output *out, const char *name);

/* "rank 1", "ranks 0-3, 7"; returns `room`. */
enum { PS_RANKS_ROOM = 224 };
const char *ps_site_ranks(char room[PS_RANKS_ROOM], const ps_site *site);
void ps_site_write_ranks(ps_output *out, const ps_site *site);
/* "2 s lost (12.3 %) in 40 calls of MPI_Recv on ranks 1, 3" */
void ps_site_write_loss(ps_output *out, const ps_report *report, const ps_site *site, ps_name_writer name);
/* What happened where most was lost, with a blank before it; nothing if nobody knows. */
void ps_site_write_comment(ps_output *out, const ps_report *report, const ps_site *site,
                           ps_name_writer prose);
/* "main > exchange > MPI_Recv" */
void ps_site_write_callpath(ps_output *out, const ps_report *report, ps_path path, ps_name_writer name);

/* The same as a value of a record: an array, or a cell of CSV. */
void ps_site_put_callpath(ps_row *to, const char *key, const ps_report *report, ps_path path);

/* The name of a call path's last region. */
const char *ps_site_call(const ps_report *report, ps_path path);
/* What the partner did, after its name, and how sure its place is: "sent the message here". */
void ps_site_write_partner(ps_output *out, const ps_report_finding *f);
/* The process of an operation, or PS_NONE. */
ps_proc ps_site_process(const ps_report *report, ps_ref ref);

bool ps_place_has_line(const ps_source_place *place);
/* The file as it can be opened here, or as the trace names it. */
const char *ps_place_file(const ps_report *report, const ps_source_place *place);

#endif
