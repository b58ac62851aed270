/* comment.c - sentences such as "MPI_Recv waited 20.1 ms in 5 calls, 4.1 ms at worst for rank 1, which was to
 * send at late_sender.c:33." What is said depends on the subject of the pattern. */
#include "core/base/text.h"
#include "core/model/unexplained.h"
#include "report/facts/report.h"
#include "report/print/text.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_BYTES = 120 };

/* "NAME verb TIME in N many, TIME at worst for rank N, partner at FILE:LINE" or, when that place is not
 * known,
 * "... for rank N without"; "tail" ends it. */
typedef struct sentence {
        const char *verb, *one, *many;
        const char *partner, *without; /* NULL: nobody is named; only `without` NULL: no place is told */
        const char *tail;
} sentence;

static const sentence sentences[PS_N_SUBJECTS] = {
        [PS_ON_RECEIVER] = {"waited", "call", "calls", ", which was to send", " to send", ""},
        [PS_ON_SENDER] = {"waited", "call", "calls", ", which was to receive", " to receive", ""},
        [PS_ON_ORDER] = {"waited", "call", "calls", ", although another message had been sent before", NULL,
                         ""},
        [PS_ON_PROBE] = {"waited", "call", "calls", ", which was to send", " to send", ""},
        [PS_ON_COLLECTIVE] = {"waited", "call", "calls", ", which called it", "", ""},
        [PS_ON_NONBLOCKING] = {"waited", "call", "calls", ", which began the operation",
                               " to begin the operation", ""},
        [PS_ON_COMPLETION] = {"took", "call", "calls", NULL, NULL, ", although all partners were there"},
        [PS_ON_UNEXPLAINED] = {"took", "call", "calls", NULL, NULL, ""},
        [PS_ON_SERIES] = {"spun for", "series of calls", "series of calls", NULL, NULL, ""},
        [PS_ON_NEIGHBOURS] = {"could save up to", "call", "calls", NULL, NULL, ""},
        [PS_ON_SMALL] = {"took", "call", "calls with small messages", NULL, NULL, ""},
        [PS_ON_ACCESS] = {"waited", "call", "calls", ", which was to post its window", " to post its window",
                          ""},
        [PS_ON_EXPOSURE] = {"waited", "call", "calls", ", which was to complete its accesses",
                            " to complete its accesses", ""},
        [PS_ON_LOCK_HELD] = {"waited", "call", "calls", ", which gave the lock back",
                             " to give the lock back", ""},
        [PS_ON_PROGRESS] = {"waited", "call", "calls", " to enter the library", NULL, ""},
        [PS_ON_PGAS_COLLECTIVE] = {"waited", "call", "calls", ", which called it", "", ""},
        [PS_ON_SPLIT_BARRIER] = {"waited", "call", "calls", ", which was to notify", " to notify", ""},
        [PS_ON_PGAS_FENCE] = {"took", "call", "calls", NULL, NULL,
                              ", until the operations begun before were over"},
        [PS_ON_ATOMIC] = {"lost", "call", "calls", ", which was at the same memory", NULL, ""},
        [PS_ON_CHANGE] = {"waited", "call", "calls", ", which was to write", " to write", ""},
        [PS_ON_LOCK] = {"waited", "call", "calls", ", which held it", " to give it back", ""},
        [PS_ON_FORK] = {"began late by", "case", "cases", NULL, NULL, ""},
        [PS_ON_JOIN] = {"ended early by", "case", "cases", NULL, NULL, ""},
        [PS_ON_EXCHANGE] = {"took", "call", "calls", NULL, NULL, ", waiting included"},
};
/* All were there, and the call went on. */
static const sentence surplus = {"took", "call", "calls", NULL, NULL, ", although all were there"};
static const sentence begun = {"took", "call", "calls", NULL, NULL, ", although all had begun the operation"};
/* The last one had begun the operation, and went on with it only in its Wait. */
static const sentence returned = {
        "waited", "call", "calls", ", which completed the operation", " to complete the operation", ""};
static const sentence other = {"lost", "call", "calls", NULL, NULL, ""};

/* A line is only told when it is the right one. */
static bool is_certain(const ps_source_place *place)
{
        return place->file && place->line && place->certainty >= PS_LINE_UNIQUE_CALL;
}

static bool has_place(const ps_source_place *place)
{
        return place && (is_certain(place) || place->function);
}

static void put_name(ps_sentence *w, const char *name)
{
        ps_sentence_bytes(w, name, strnlen(name, NAME_BYTES));
}

static void put_place(ps_sentence *w, const ps_source_place *place)
{
        if (is_certain(place)) {
                ps_sentence_text(w, " at ");
                put_name(w, ps_file_name(place->file));
                ps_sentence_text(w, ":");
                ps_sentence_u64(w, place->line);
        } else {
                ps_sentence_text(w, " in ");
                put_name(w, place->function);
        }
}

static void put_rank(ps_sentence *w, const ps_report *report, ps_loc loc)
{
        const ps_defs *defs = &report->trace->defs;
        const ps_location_def *location = &defs->locations.row[loc];

        ps_sentence_text(w, " for ");
        if (defs->processes.row[location->process].n_locs > 1) {
                ps_sentence_text(w, "thread ");
                ps_sentence_u64(w, location->thread);
                ps_sentence_text(w, " of ");
        }
        ps_sentence_text(w, "rank ");
        ps_sentence_u64(w, location->process);
}

bool ps_report_came_back(const ps_report_finding *f)
{
        return f->pattern->subject == PS_ON_NONBLOCKING && f->partner_completes != PS_COMPLETES_NONE;
}

/* A loss that counts from when the first could leave is not the fault of the last to come; and in the paper's
 * reading a whole Wait is lost, whoever was there. */
static const sentence *sentence_of(const ps_report *report, const ps_report_finding *f)
{
        const ps_subject subject = f->pattern->subject;
        const ps_formula *formula = ps_pattern_formula(f->finding->pattern);

        if (report->analysis->definitions == PS_DEFINITIONS_PAPER && f->pattern->paper_formula)
                formula = f->pattern->paper_formula;
        if (formula && formula->collective && strstr(formula->loss, "earliest_end"))
                return &surplus;
        if (subject == PS_ON_COMPLETION && formula == f->pattern->paper_formula)
                return &other;
        if (subject == PS_ON_COMPLETION && f->completes == PS_COMPLETES_COLLECTIVES)
                return &begun;
        if (ps_report_came_back(f))
                return &returned;
        return sentences[subject].verb ? &sentences[subject] : &other;
}

static void put_partner(ps_sentence *w, const ps_report *report, const ps_report_finding *f,
                        const sentence *s)
{
        ps_ref partner = f->finding->worst.partner;

        if (!s->partner || partner.op == PS_NONE || partner.loc == f->finding->location)
                return;
        put_rank(w, report, partner.loc);
        bool has = has_place(f->partner_place);
        ps_sentence_text(w, has || !s->without ? s->partner : s->without);
        if (has && s->without)
                put_place(w, f->partner_place);
}

static void put_loss(ps_sentence *w, const ps_report *report, const ps_report_finding *f)
{
        const sentence *s = sentence_of(report, f);
        const ps_finding *finding = f->finding;

        ps_sentence_text(w, " ");
        ps_sentence_text(w, s->verb);
        ps_sentence_text(w, " ");
        ps_sentence_duration(w, finding->lost);
        if (finding->count == 1) {
                ps_sentence_text(w, " in one ");
                ps_sentence_text(w, s->one);
        } else {
                ps_sentence_text(w, " in ");
                ps_sentence_count(w, finding->count);
                ps_sentence_text(w, " ");
                ps_sentence_text(w, s->many);
                ps_sentence_text(w, ", ");
                ps_sentence_duration(w, finding->worst.lost);
                ps_sentence_text(w, " at worst");
        }
        if (finding->worst.at.op != PS_NONE) {
                ps_sentence_text(w, " (at ");
                ps_sentence_duration(w, finding->worst.begin);
                ps_sentence_text(w, ")");
        }
        put_partner(w, report, f, s);
        ps_sentence_text(w, s->tail);
        if (f->why != PS_EXPLAINED)
                ps_sentence_add(w, ": %s", ps_unexplained_reasons[f->why].text);
}

/* What is wrong whatever it costs. */
static void put_defect(ps_sentence *w, const ps_report *report, const ps_report_finding *f)
{
        const bool is_one = f->finding->count == 1;

        ps_sentence_text(w,
                         is_one ? " began before its receive in one call" : " began before its receive in ");
        if (!is_one) {
                ps_sentence_count(w, f->finding->count);
                ps_sentence_text(w, " calls");
        }
        put_partner(w, report, f, &sentences[PS_ON_SENDER]);
}

/* How often a place communicates, and how much it moves, next to the others. */
static void put_place_sums(ps_sentence *w, const ps_report *report, const ps_finding *finding)
{
        const ps_place_sums *sums = ps_analysis_place(report->analysis, finding->location, finding->path);
        char lost[PS_NUMBER_ROOM], n[4][PS_NUMBER_ROOM];

        ps_text_duration(lost, finding->lost);
        ps_text_count(n[0], sums->ops);
        ps_text_count(n[1], sums->all_ops);
        ps_sentence_add(w, " accounts for %s of the thread's %s operations and %s", n[0], n[1], lost);
        if (!sums->bytes)
                return;
        ps_text_count(n[0], sums->bytes);
        ps_text_count(n[1], sums->largest);
        ps_text_count(n[2], report->analysis->typical_bytes);
        ps_sentence_add(w, ". It moves %s bytes, at most %s at once, where the usual place moves %s", n[0],
                        n[1], n[2]);
}

/* A Wait can be moved; how far is worth knowing. What took longer than data of that size should is not
 * avoided by moving it less far. */
static void put_distance(ps_sentence *w, const ps_report_finding *f)
{
        if (!f->is_late || f->finding->worst.later < f->finding->worst.lost)
                return;
        ps_sentence_text(w, " Calling it ");
        ps_sentence_duration(w, f->finding->worst.later);
        ps_sentence_text(w, f->finding->count == 1 ? " later would have avoided the wait."
                                                   : " later would have avoided the longest wait.");
}

/* Where clocks had to be aligned, what the report says is likely, and less is certain. */
static void put_certain(ps_sentence *w, const ps_report *report, const ps_finding *finding,
                        ps_subject subject)
{
        if (!ps_report_has_doubt(report) || finding->least >= finding->lost)
                return;
        if (finding->least) {
                ps_sentence_text(w, " As far as the clocks can tell, it was ");
                ps_sentence_duration(w, finding->least);
                ps_sentence_text(w, " at least.");
        } else {
                ps_sentence_text(
                        w,
                        subject == PS_ON_COLLECTIVE
                                ? " The clocks do not tell that from an operation that took so long itself."
                                : " That depends on how the clocks were aligned; they do not prove it.");
        }
}

const char *ps_report_comment(const ps_report *report, const ps_report_finding *f, char room[PS_COMMENT_ROOM])
{
        ps_sentence w = {room, PS_COMMENT_ROOM, 0};
        const ps_path path = f->finding->path;
        const char *name = path ? ps_path_region_name(report->trace, path) : "";

        if (f->comment)
                return f->comment;
        put_name(&w, *name ? name : f->pattern->subject == PS_ON_FORK ? "it" : "an unnamed call");
        if (f->pattern->subject == PS_ON_REGION) {
                ps_sentence_text(&w, " took ");
                ps_sentence_duration(&w, f->finding->lost);
                ps_sentence_text(&w, " longer here than on average");
        } else if (f->pattern->subject == PS_ON_COPIES) {
                ps_sentence_text(&w, " took ");
                ps_sentence_duration(&w, f->finding->lost);
                ps_sentence_text(&w, " more than if the processors that do the same had shared it");
        } else if (f->pattern->subject == PS_ON_SITE) {
                put_place_sums(&w, report, f->finding);
        } else if (f->pattern->subject == PS_ON_MASTER) {
                ps_sentence_text(&w, " is the worst of the calls in which ");
                ps_sentence_duration(&w, f->finding->lost);
                ps_sentence_text(&w, " were waited");
                put_partner(&w, report, f, &sentences[PS_ON_PGAS_COLLECTIVE]);
        } else if (f->pattern->is_defect) {
                put_defect(&w, report, f);
        } else {
                put_loss(&w, report, f);
        }
        ps_sentence_text(&w, ".");
        put_certain(&w, report, f->finding, f->pattern->subject);
        put_distance(&w, f);
        return room;
}
