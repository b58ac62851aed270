/* timeline.c - see timeline.h: what the scripts must know of a run beside its columns, as JSON. */
#include "report/page/timeline.h"
#include "report/causes/words.h"
#include "report/document/page.h"
#include "report/facts/run_name.h"
#include "report/page/own.h"
#include "report/page/snippet.h"
#include "report/page/stack.h"

#include "core/base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1000, CAUSES = 100, CARDS = 3, STACKS = 5 };

/* Of all time in the focus: what is less is no card. */
#define WORTH_SHOWING 0.0005

bool ps_timeline_is_told(const void *subject)
{
        const ps_report *report = subject;
        return report->trace->n_operations && report->timing->duration > 0 && report->settings.options &&
               ps_focus_n_told(report->trace, report->timing) &&
               (!report->settings.prediction || !report->settings.prediction->deadlock);
}

static void put_key(const ps_timeline *k, const char *key)
{
        ps_output_printf(k->out, ",\n\"%s\":", key);
}

/* A number, or null. */
static void put_index(const ps_timeline *k, uint32_t index)
{
        if (index == PS_NONE)
                ps_output_puts(k->out, "null");
        else
                ps_output_printf(k->out, "%" PRIu32, index);
}

/* 0: the same as what was put before. */
static void put_or_same(const ps_timeline *k, const char *text, const char **before)
{
        if (*before && strcmp(text, *before) == 0)
                ps_output_putc(k->out, '0');
        else
                ps_html_script_text(k->out, text);
        *before = text;
}

/* -- the run -- */

static void put_run(const ps_timeline *k)
{
        const ps_report *report = k->report;
        const ps_focus *focus = report->timing->focus;
        char name[PS_RUN_NAME_ROOM];
        const char *path = report->settings.trace_path ? report->settings.trace_path : "";
        ps_output_puts(k->out, "{\"name\":");
        ps_html_script_text(k->out, ps_run_name(name, path));
        put_key(k, "trace");
        ps_html_script_text(k->out, path);
        ps_output_printf(
                k->out, ",\n\"findings\":%" PRIu32 ",\"predicted\":%d,\"tickNs\":%.12g,\"end\":%" PRIu32,
                report->n_findings, report->is_predicted, (double)k->picture.tick / 1000, k->picture.end);
        ps_output_printf(k->out, ",\"served\":%d", report->settings.timeline != NULL);
        ps_output_puts(k->out, ",\"focus\":[");
        for (uint32_t i = 0; focus && i < focus->n_spans; i++)
                ps_output_printf(k->out, "%s[%" PRIu32 ",%" PRIu32 "]", i ? "," : "",
                                 ps_picture_tick(&k->picture, focus->span[i].begin),
                                 ps_picture_tick(&k->picture, focus->span[i].end));
        if (!focus)
                ps_output_printf(k->out, "[0,%" PRIu32 "]", k->picture.end);
        ps_output_putc(k->out, ']');
}

static void put_lanes(const ps_timeline *k)
{
        const ps_defs *defs = &k->report->trace->defs;
        const char *before = NULL;
        put_key(k, "lanes");
        for (uint32_t lane = 0; lane < k->picture.n_lanes; lane++) {
                const ps_location_def *location = &defs->locations.row[k->picture.location[lane]];
                const ps_process_def *process = &defs->processes.row[location->process];
                ps_output_printf(k->out, "%c[%" PRIu32 ",%" PRIu32 ",", lane ? ',' : '[', location->process,
                                 process->n_locs > 1 ? location->thread : PS_NONE);
                put_or_same(k, process->node ? ps_defs_str(defs, process->node) : "", &before);
                ps_output_putc(k->out, ']');
        }
        ps_output_putc(k->out, ']');
}

/* As in the table of the report, in nanoseconds. */
static void put_times(const ps_timeline *k)
{
        put_key(k, "time");
        for (int kind = 0; kind < PS_TIME_KINDS; kind++) {
                const ps_time *time = ps_times_of_kind(k->report->times, (ps_time_kind)kind);
                ps_output_printf(k->out, "%c[\"%s\"", kind ? ',' : '[', ps_time_infos[kind].key);
                for (uint32_t lane = 0; lane < k->picture.n_lanes; lane++)
                        ps_output_printf(k->out, ",%" PRId64, time[k->picture.location[lane]] / PS_PS_PER_NS);
                ps_output_putc(k->out, ']');
        }
        ps_output_putc(k->out, ']');
}

static void put_pairs(const ps_timeline *k)
{
        const ps_profile *profile = k->report->settings.profile;
        size_t n = profile && profile->n_pairs <= PS_PAGE_PAIRS ? profile->n_pairs : 0;
        put_key(k, "pairs");
        ps_output_putc(k->out, '[');
        for (size_t i = 0; i < n; i++)
                ps_output_printf(k->out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
                                 profile->pairs[i].from, profile->pairs[i].to, profile->pairs[i].messages,
                                 profile->pairs[i].bytes);
        ps_output_putc(k->out, ']');
}

/* Their sums over time: see flows.h. */
static void put_flows(const ps_timeline *k)
{
        const ps_flows *flows = &k->picture.flows;
        put_key(k, "flows");
        if (flows->n_pairs)
                ps_output_printf(k->out, "{\"bins\":%" PRIu32 ",\"largest\":[%.12g,%.12g]}", flows->n_bins,
                                 flows->largest[PS_FLOW_MESSAGES], flows->largest[PS_FLOW_BYTES]);
        else
                ps_output_puts(k->out, "null");
}

static void put_left_out(const ps_timeline *k)
{
        const ps_picture *p = &k->picture;
        put_key(k, "leftOut");
        ps_output_printf(k->out,
                         "{\"waits\":%" PRIu64 ",\"waitsNs\":%" PRId64 ",\"others\":%" PRIu64
                         ",\"othersNs\":%" PRId64 ",\"messages\":%" PRIu64 ",\"collectives\":%" PRIu64 "}",
                         p->waits_left_out.n, p->waits_left_out.time / PS_PS_PER_NS, p->mixed.n,
                         p->mixed.time / PS_PS_PER_NS, p->messages_left_out, p->collectives_left_out);
}

/* -- call paths -- */

struct source {
        const char *file;
        uint32_t line;
};

/* Of a function of the program where it begins, of a call where it stands. */
static ps_status find_source(const ps_timeline *k, ps_path path, struct source *out)
{
        const ps_defs *defs = &k->report->trace->defs;
        const ps_region_def *region = ps_path_region(k->report->trace, path);
        const ps_source_place *place;
        *out = (struct source){"", 0};
        if (!region)
                return PS_OK;
        if (region->kind == PS_K_NONE && region->file) {
                *out = (struct source){ps_defs_str(defs, region->file), region->line};
                return PS_OK;
        }
        PS_TRY(ps_sources_of(k->report->sources, path, &place, k->err));
        *out = (struct source){place->file ? place->file : "", place->line};
        return PS_OK;
}

static ps_status number_paths(ps_timeline *k)
{
        const ps_trace *trace = k->report->trace;
        uint32_t n = 0;
        free(k->number_of_path);
        k->number_of_path = ps_memory_zeroed(trace->n_paths + (size_t)1, sizeof(*k->number_of_path));
        if (!k->number_of_path)
                return PS_NOMEM(k->err, "call paths", trace->n_paths);
        for (ps_path path = 0; path < trace->n_paths; path++)
                k->number_of_path[path] =
                        k->picture.is_used[path] ? n++ : k->number_of_path[trace->paths[path].parent];
        return PS_OK;
}

static ps_status put_paths(const ps_timeline *k)
{
        const ps_trace *trace = k->report->trace;
        const char *name = NULL, *file = NULL;
        put_key(k, "paths");
        for (ps_path path = 0; path < trace->n_paths; path++) {
                struct source at;
                if (!k->picture.is_used[path])
                        continue;
                PS_TRY(find_source(k, path, &at));
                ps_output_printf(k->out, "%c[%" PRIu32 ",", path ? ',' : '[',
                                 path ? k->number_of_path[trace->paths[path].parent] : 0);
                put_or_same(k, path ? ps_site_call(k->report, path) : "", &name);
                ps_output_putc(k->out, ',');
                put_or_same(k, at.file, &file);
                ps_output_printf(k->out, ",%" PRIu32 "]", at.line);
        }
        ps_output_putc(k->out, ']');
        return PS_OK;
}

/* -- findings and causes -- */

static void put_worst(const ps_timeline *k, const ps_instance *worst)
{
        const ps_picture *p = &k->picture;
        uint32_t lane = worst->at.loc < k->report->trace->n_locs ? p->lane_of[worst->at.loc] : PS_NONE;
        uint32_t partner = worst->partner.op != PS_NONE ? p->lane_of[worst->partner.loc] : PS_NONE;
        if (lane == PS_NONE || worst->at.op == PS_NONE || worst->lost <= 0) {
                ps_output_puts(k->out, "null");
                return;
        }
        ps_output_putc(k->out, '[');
        put_index(k, lane);
        ps_output_printf(k->out, ",%" PRIu32 ",%" PRIu32 ",", ps_picture_tick(p, worst->begin),
                         ps_picture_tick(p, ps_time_add(worst->begin, worst->lost)));
        put_index(k, partner);
        ps_output_putc(k->out, ']');
}

static void put_place(const ps_timeline *k, const ps_site *site)
{
        const ps_report_finding *f = site->largest;
        char ranks[PS_RANKS_ROOM];
        ps_output_printf(k->out,
                         "{\"id\":\"finding-%s-%" PRIu32 "\",\"type\":\"%s\",\"title\":\"%s\",\"call\":",
                         f->site, f->place->line, f->pattern->id, f->pattern->title);
        ps_html_script_text(k->out, ps_site_call(k->report, f->finding->path));
        ps_output_puts(k->out, ",\"file\":");
        ps_html_script_text(k->out, f->place->file ? f->place->file : "");
        ps_output_printf(
                k->out,
                ",\"line\":%" PRIu32 ",\"ranks\":\"%s\",\"count\":%" PRIu64 ",\"lost\":%.12g,\"worst\":",
                f->place->line, ps_site_ranks(ranks, site), site->count, ps_time_seconds(site->lost));
        put_worst(k, &f->finding->worst);
}

/* The lanes of a place, as 0-7,12. */
static ps_status put_lanes_of(const ps_timeline *k, const ps_report_place *place)
{
        uint32_t n_lanes = k->picture.n_lanes, begin = PS_NONE;
        bool *is_there = ps_memory_zeroed(n_lanes + (size_t)1, sizeof(*is_there)), is_first = true;
        if (!is_there)
                return PS_NOMEM(k->err, "lanes of a page", n_lanes);
        for (uint32_t i = 0; i < place->n; i++) {
                uint32_t lane = k->picture.lane_of[place->finding[i]->finding->location];
                if (lane != PS_NONE)
                        is_there[lane] = true;
        }
        ps_output_puts(k->out, ",\"lanes\":\"");
        for (uint32_t lane = 0; lane <= n_lanes; lane++) {
                if (is_there[lane] && begin == PS_NONE)
                        begin = lane;
                if (is_there[lane] || begin == PS_NONE)
                        continue;
                ps_output_printf(k->out, "%s%" PRIu32 "-%" PRIu32, is_first ? "" : ",", begin, lane - 1);
                begin = PS_NONE;
                is_first = false;
        }
        ps_output_putc(k->out, '"');
        free(is_there);
        return PS_OK;
}

static ps_status put_places(const ps_timeline *k)
{
        put_key(k, "places");
        ps_output_putc(k->out, '[');
        for (uint32_t i = 0; i < k->sites->n && i < PS_LANES_PLACES && !ps_output_failed(k->out); i++) {
                ps_output_puts(k->out, i ? ",\n" : "");
                put_place(k, &k->sites->row[i]);
                if (i < PLACES)
                        PS_TRY(put_lanes_of(k, &k->sites->places.row[i]));
                if (i < PLACES)
                        PS_TRY(ps_snippet_put(k->report, k->sites->row[i].largest->place, k->out, k->err));
                ps_output_putc(k->out, '}');
        }
        ps_output_putc(k->out, ']');
        return PS_OK;
}

/* Where somebody is who makes others wait: a lane and a call path. */
static void put_causes(const ps_timeline *k)
{
        const ps_causes *causes = k->report->blame ? k->report->blame->causes : NULL;
        unsigned n = 0;
        put_key(k, "causes");
        ps_output_putc(k->out, '[');
        for (uint32_t i = 0; causes && i < causes->n && n < CAUSES; i++) {
                const ps_cause *cause = &causes->row[i];
                if (cause->location == PS_NONE || k->picture.lane_of[cause->location] == PS_NONE ||
                    !k->picture.is_used[cause->path])
                        continue;
                ps_output_printf(k->out, "%s[%" PRIu32 ",%" PRIu32 ",%.12g,\"%s\"]", n++ ? "," : "",
                                 k->picture.lane_of[cause->location], k->number_of_path[cause->path],
                                 ps_time_seconds(ps_time_add(cause->direct, cause->indirect)),
                                 ps_why_names[cause->why]);
        }
        ps_output_putc(k->out, ']');
}

/* What a manager reads: the largest causes, and what mending them gains. */
static void put_card(const ps_timeline *k, uint32_t g)
{
        const ps_cause_group *group = &k->report->blame->group[g];
        const ps_cause *cause = group->row[0]->cause;
        const ps_cause_fix *fix = ps_cause_first_fix(k->report, group);
        ps_time length = ps_focus_length(k->report->timing);
        char room[PS_COMMENT_ROOM];
        ps_sentence said = {room, sizeof(room), 0};
        uint32_t lane = cause->location == PS_NONE ? PS_NONE : k->picture.lane_of[cause->location];
        ps_cause_say_what(&said, k->report, group);
        ps_output_printf(k->out, "%s{\"id\":\"cause-%" PRIu32 "\",\"lane\":", g ? ",\n" : "", g + 1);
        put_index(k, lane);
        ps_output_printf(k->out,
                         ",\"path\":%" PRIu32 ",\"waiting\":%.12g,\"gain\":", k->number_of_path[cause->path],
                         ps_time_seconds(group->waiting));
        if (ps_cause_is_mended_by(fix, length))
                ps_output_printf(k->out, "%.6g", ps_cause_fix_share(fix, length));
        else
                ps_output_puts(k->out, "null");
        ps_output_puts(k->out, ",\"what\":");
        ps_html_script_text(k->out, room);
        said.n = 0;
        room[0] = '\0';
        if (fix)
                ps_cause_say_fix(&said, fix, length);
        ps_output_puts(k->out, ",\"fix\":");
        ps_html_script_text(k->out, room);
        ps_output_putc(k->out, '}');
}

/* No cards stand above "nothing here is worth mending". */
static void put_cards(const ps_timeline *k)
{
        const ps_blame *blame = k->report->blame;
        ps_time waiting;
        put_key(k, "cards");
        ps_output_putc(k->out, '[');
        bool are_shown = blame && !ps_causes_are_trifling(&waiting, k->report);
        for (uint32_t g = 0; are_shown && g < blame->n_groups && g < CARDS; g++) {
                const ps_cause_group *group = &blame->group[g];
                if (!group->leads && ps_report_share(k->report, group->waiting) < WORTH_SHOWING)
                        break;
                put_card(k, g);
        }
        ps_output_putc(k->out, ']');
}

/* -- call stacks -- */

/* Around the longest waits: the page shows so much of them when it jumps there. */
static ps_status put_stack_around(const ps_timeline *k, const ps_instance *worst, bool is_first)
{
        const ps_picture *p = &k->picture;
        uint32_t begin = ps_picture_tick(p, worst->begin),
                 end = ps_picture_tick(p, ps_time_add(worst->begin, worst->lost));
        uint32_t around = (end - begin) / 2 * 5;
        ps_output_puts(k->out, is_first ? "" : ",\n");
        return ps_stack_put(p, p->lane_of[worst->at.loc], begin > around ? begin - around : 0,
                            p->end - end > around ? end + around : p->end, k->out, k->err);
}

/* null: the format cannot be read from the middle, or the times are not those of the file. */
static ps_status put_stacks(const ps_timeline *k)
{
        unsigned n = 0;
        put_key(k, "stacks");
        if (!k->report->settings.stacks) {
                ps_output_puts(k->out, "null");
                return PS_OK;
        }
        ps_output_putc(k->out, '[');
        for (uint32_t i = 0; i < k->sites->n && n < STACKS; i++) {
                const ps_instance *worst = &k->sites->row[i].largest->finding->worst;
                if (worst->at.op == PS_NONE || worst->lost <= 0 ||
                    k->picture.lane_of[worst->at.loc] == PS_NONE)
                        continue;
                PS_TRY(put_stack_around(k, worst, n == 0));
                n++;
        }
        ps_output_putc(k->out, ']');
        return PS_OK;
}

/* -- how much of it -- */

/* Of a picture that is too large for a page: so that the next one has that part of what is in this one. */
static void take_less(ps_picture_most *most, const ps_picture *p, double part)
{
        const struct {
                uint32_t *most;
                uint64_t now;
        } rows[] = {{&most->stretches, p->stretches.n},
                    {&most->messages, p->messages.n},
                    {&most->collectives, p->collectives.n},
                    {&most->shares, p->shares ? (uint64_t)p->n_bins * p->n_lanes * PS_LANE_STATES
                                              : most->packed /* there will be some */}};
        double waits = (double)most->waits / most->stretches;
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
                uint64_t now = rows[i].now < *rows[i].most ? rows[i].now : *rows[i].most;
                *rows[i].most = (uint32_t)((double)now * part) + 1;
        }
        most->waits = (uint32_t)(most->stretches * waits);
}

/* A little less than there is room for, because not all that is packed becomes less. */
#define PART_OF_ROOM 0.9
enum { TRIES = 3 };

static ps_status make_picture(ps_timeline *k, ps_packed *packed)
{
        k->most = ps_picture_most_drawn;
        for (unsigned n = 1;; n++) {
                PS_TRY(ps_picture_make(&k->picture, &k->lanes, &k->most, k->err));
                PS_TRY(number_paths(k));
                PS_TRY(ps_columns_pack(packed, &k->picture, k->number_of_path, k->err));
                if (packed->n <= k->most.packed || n == TRIES)
                        return PS_OK;
                take_less(&k->most, &k->picture, PART_OF_ROOM * k->most.packed / (double)packed->n);
                ps_picture_clear(&k->picture);
                ps_packed_clear(packed);
        }
}

/* -- all of it -- */

static ps_status put_data(const ps_timeline *k, const ps_packed *packed, const char *id, const char *title)
{
        ps_output_printf(k->out, "<script type=\"application/json\" id=\"%s-data\">", id);
        put_run(k);
        put_lanes(k);
        put_times(k);
        put_pairs(k);
        put_flows(k);
        put_left_out(k);
        ps_traffic_put(&k->picture, k->out);
        PS_TRY(ps_page_network_put(k->report, k->out, k->err));
        PS_TRY(put_paths(k));
        PS_TRY(put_places(k));
        put_causes(k);
        put_cards(k);
        PS_TRY(put_stacks(k));
        ps_output_printf(k->out, ",\n\"bins\":%" PRIu32 ",\"columns\":[", k->picture.n_bins);
        ps_columns_put_names(&k->picture, k->number_of_path, k->out);
        ps_output_puts(k->out, "],\n\"title\":");
        ps_html_script_text(k->out, title);
        ps_output_printf(k->out, "}</script>\n<script type=\"application/octet-stream\" id=\"%s-columns\">",
                         id);
        ps_packed_put(packed, k->out);
        ps_output_puts(k->out, "</script>\n");
        return PS_OK;
}

static ps_status put_run_of(ps_doc *doc, const ps_report *report, const char *id, const char *title,
                            ps_error *err)
{
        ps_packed packed = {0};
        ps_timeline *k = ps_memory_zeroed(1, sizeof(*k));
        if (!k)
                return PS_NOMEM(err, "timelines", 1);
        *k = (ps_timeline){.report = report, .out = ps_doc_page(doc), .err = err};
        ps_status status = ps_sites_new(&k->sites, report, false, err);
        PS_THEN(status, ps_lanes_make(&k->lanes, report, k->sites, PS_LANES_OF_WAITS, err));
        PS_THEN(status, make_picture(k, &packed));
        PS_THEN(status, put_data(k, &packed, id, title));
        ps_packed_clear(&packed);
        if (status == PS_OK && report->settings.timeline)
                *report->settings.timeline = k;
        else
                ps_timeline_free(k);
        return status;
}

ps_status ps_timeline_put_two(ps_doc *doc, const ps_report *above, const char *above_name,
                              const ps_report *below, const char *below_name, ps_error *err)
{
        ps_doc_say(doc, PS_DOC_HINT, "The picture of the run needs a script; the tables below do not.");
        PS_TRY(put_run_of(doc, above, "run", above_name, err));
        return put_run_of(doc, below, "beside", below_name, err);
}

ps_status ps_timeline_put(ps_doc *doc, const void *subject, ps_error *err)
{
        const ps_report *report = subject, *beside = report->settings.beside;
        if (beside && ps_timeline_is_told(beside))
                return ps_timeline_put_two(doc, report, "Predicted", beside, "Measured", err);
        ps_doc_say(doc, PS_DOC_HINT, "The picture of the run needs a script; the tables below do not.");
        return put_run_of(doc, report, "run", "", err);
}
