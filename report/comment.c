/* comment.c - sentences such as "MPI_Recv waited 20.1 ms in 5 calls, 4.1 ms at worst for rank 1, which was to
 * send at late_sender.c:33." What is said depends on the subject of the pattern. */
#include "report/comment.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 120 };

/* `partner` is what is said of the one at fault when its place is known, `without` when it is not. */
typedef struct sentence {
        const char *lost, *partner, *without;
} sentence;

static const sentence sentences[PS_N_SUBJECTS] = {
        [PS_ON_RECEIVER] = {"waited", ", which was to send", " to send"},
        [PS_ON_SENDER] = {"waited", ", which was to receive", " to receive"},
        [PS_ON_ORDER] = {"waited", ", although another message had been sent before that", NULL},
        [PS_ON_COLLECTIVE] = {"waited", ", which called it", ""},
        [PS_ON_NONBLOCKING] = {"waited", ", which began the operation", " to begin the operation"},
};
/* Nobody is at fault: the rest of a call that others explain only in part. */
static const sentence surplus = {"took longer than needed by", NULL, NULL};

typedef struct writer {
        char *room;
        size_t n;
} writer;

static void put(writer *w, const char *fmt, ...) PS_FORMAT(2, 3);

static void put(writer *w, const char *fmt, ...)
{
        va_list args;

        va_start(args, fmt);
        int n = vsnprintf(w->room + w->n, PS_COMMENT_ROOM - w->n, fmt, args);
        va_end(args);
        if (n > 0)
                w->n += (size_t)n < PS_COMMENT_ROOM - w->n ? (size_t)n : PS_COMMENT_ROOM - 1 - w->n;
}

static const char *base_name(const char *file)
{
        const char *slash = strrchr(file, '/');

        return slash && slash[1] ? slash + 1 : file;
}

/* A line is only told when it is the right one. */
static int has_place(const ps_source_place *place)
{
        return place && ((place->file && place->line && place->certainty >= PS_LINE_UNIQUE_CALL) ||
                         place->function);
}

static void put_place(writer *w, const ps_source_place *place)
{
        if (place->file && place->line && place->certainty >= PS_LINE_UNIQUE_CALL)
                put(w, " at %.*s:%" PRIu32, NAME_BYTES, base_name(place->file), place->line);
        else
                put(w, " in %.*s", NAME_BYTES, place->function);
}

static void put_rank(writer *w, const ps_report *report, ps_loc loc)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_location_def *location = &defs->locations.row[loc];

        if (defs->processes.row[location->process].n_locs > 1)
                put(w, " for thread %" PRIu32 " of rank %" PRIu32, location->thread, location->process);
        else
                put(w, " for rank %" PRIu32, location->process);
}

/* A loss that counts from when the first could leave is not the fault of the last to come. */
static const sentence *sentence_of(const ps_report_finding *f)
{
        const ps_formula *formula = ps_pattern_formula(f->finding->pattern);
        const sentence *s = f->pattern->subject < PS_N_SUBJECTS ? &sentences[f->pattern->subject] : &surplus;

        return !s->lost || (formula && strstr(formula->loss, "earliest_end")) ? &surplus : s;
}

static void put_partner(writer *w, const ps_report *report, const ps_report_finding *f, const sentence *s)
{
        ps_ref partner = f->finding->worst.partner;

        if (!s->partner || partner.op == PS_NONE || partner.loc == f->finding->location)
                return;
        put_rank(w, report, partner.loc);
        if (!s->without) {
                put(w, "%s", s->partner);
        } else if (has_place(f->partner_place)) {
                put(w, "%s", s->partner);
                put_place(w, f->partner_place);
        } else {
                put(w, "%s", s->without);
        }
}

size_t ps_comment_write(char room[PS_COMMENT_ROOM], const ps_report *report, const ps_report_finding *f)
{
        const sentence *s = sentence_of(f);
        const ps_finding *finding = f->finding;
        writer w = {room, 0};
        const char *name = "";
        char lost[PS_NUMBER_ROOM], worst[PS_NUMBER_ROOM], count[PS_NUMBER_ROOM];

        ps_report_callpath(report, finding->path, &name, 1);
        ps_text_duration(lost, finding->lost);
        ps_text_duration(worst, finding->worst.lost);
        ps_text_count(count, finding->count);
        put(&w, "%.*s %s %s", NAME_BYTES, *name ? name : "The call", s->lost, lost);
        if (finding->count == 1)
                put(&w, " in one call");
        else
                put(&w, " in %s calls, %s at worst", count, worst);
        put_partner(&w, report, f, s);
        put(&w, ".");
        return w.n;
}
