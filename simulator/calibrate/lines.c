/* lines.c - models in which one line, or one for each end and one for the way between, is all:
 * Hockney, LogGP, HLMO. */
#include "simulator/calibrate/calibrate.h"

#include <math.h>

/* A line that explains less of how the times differ tells no rate, and its least times are an accident. */
static const double poor_fit = 0.5;

static const char no_ends[] =
        "it needs what sending costs and what receiving costs by themselves: there are no samples of "
        "both ends";

/* -- what every line says -- */

void ps_calibration_note_way(ps_calibration *c, const ps_fit *way)
{
        if (!way->has_fixed || !way->has_per_byte)
                ps_calibration_note(c, way->has_fixed ? PS_NOTE_ONE_SIZE_LATENCY : PS_NOTE_ONE_SIZE_RATE);
        else if (!(way->fast.per_byte_s > 0))
                ps_calibration_note(c, PS_NOTE_NO_GROWTH);
        else if (!(way->fast.fixed_s > 0))
                ps_calibration_note(c, PS_NOTE_NO_LATENCY);
        else if (way->n_sizes == 2)
                ps_calibration_note(c, PS_NOTE_FEW_SIZES);
        if (way->n_segments > 1)
                ps_calibration_note(c, PS_NOTE_BROKEN_LINE);
}

void ps_calibration_note_ends(ps_calibration *c)
{
        const ps_fit *send = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_SEND];
        const ps_fit *receive = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_RECEIVE];
        if (!send->has_fixed || !send->has_per_byte || !receive->has_fixed || !receive->has_per_byte)
                ps_calibration_note(c, PS_NOTE_ENDS_ONE_SIZE);
}

static double rate(double per_byte)
{
        return per_byte <= 0 ? INFINITY : 1 / per_byte; /* of what is not known: not known */
}

static ps_calibrated *add_of(ps_calibration *c, const char *name, const char *where, ps_amount type,
                             double value, const ps_fit *fit)
{
        ps_calibrated *row = ps_calibration_add(c, name, type, value);
        row->where = where;
        row->n_samples = fit->n_samples;
        row->n_sizes = fit->n_sizes;
        return row;
}

/* -- Hockney -- */

static bool is_poor(const ps_fit *way)
{
        return way->r_squared < poor_fit; /* not with fewer than three sizes, of which it is not known */
}

/* A message takes at least what its two ends take by themselves. */
static double at_least_ends(ps_calibration *c, double latency)
{
        const ps_fit *send = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_SEND];
        const ps_fit *receive = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_RECEIVE];
        double ends = send->fast.fixed_s + receive->fast.fixed_s;
        if (!send->has_fixed || !receive->has_fixed || latency >= ends)
                return latency;
        ps_calibration_note(c, PS_NOTE_LATENCY_OF_ENDS);
        return ends;
}

static ps_link link_of(ps_calibration *c, const ps_fit *way, const char *where)
{
        const ps_fit_line *line = is_poor(way) ? &way->typical : &way->fast;
        double latency = at_least_ends(c, line->fixed_s);
        ps_link link = {latency, rate(line->per_byte_s)};
        ps_calibrated *row = add_of(c, "latency_s", where, PS_A_SECONDS, link.latency_s, way);
        if (is_poor(way))
                ps_calibration_note(c, PS_NOTE_POOR_FIT);
        else
                ps_calibration_note_way(c, way);
        if (way->has_fixed) {
                row->low = way->fixed_low;
                row->high = way->fixed_high;
                row->typical = way->typical.fixed_s;
        }
        row->is_assumed =
                !(line->fixed_s > 0) || (is_poor(way) && !(way->fixed_low > 0)) || latency > line->fixed_s;
        row = add_of(c, "bandwidth_bytes_per_s", where, PS_A_RATE, link.bandwidth_bytes_per_s, way);
        if (way->has_per_byte) {
                row->low = rate(way->per_byte_high);
                row->high = rate(way->per_byte_low);
                row->typical = rate(way->typical.per_byte_s);
        }
        row->is_assumed = is_poor(way) || !isfinite(link.bandwidth_bytes_per_s);
        return link;
}

static void make_hockney(ps_calibration *c, const ps_fit *far, const ps_fit *near)
{
        c->machine.link = link_of(c, far, "");
        if (near)
                c->machine.intra = link_of(c, near, "intra_node");
        ps_calibration_note(c, PS_NOTE_SUMS);
}

/* -- LogGP, HLMO: the ends by themselves, the rest is the network's -- */

/* The way without both ends; the first byte of LogGP goes with the overhead. */
static ps_link rest_of(ps_calibration *c, const ps_fit *way, const ps_fit_line *ends, bool is_loggp,
                       const char *where)
{
        double per_byte = ps_calibration_rest(c, way->fast.per_byte_s, ends->per_byte_s);
        double fixed = ps_calibration_rest(c, way->fast.fixed_s + (is_loggp ? per_byte : 0), ends->fixed_s);
        ps_calibration_note_way(c, way);
        add_of(c, "latency_s", where, PS_A_SECONDS, fixed, way)->is_assumed = !(fixed > 0);
        add_of(c, "bandwidth_bytes_per_s", where, PS_A_RATE, rate(per_byte), way)->is_assumed =
                !(per_byte > 0);
        return (ps_link){fixed, rate(per_byte)};
}

/* Both ends together. For each byte they take no longer than the whole way does, whatever lines through small
 * messages say: `*cut` is the share of their lines that is left. */
static ps_fit_line ends_of(ps_calibration *c, const ps_fit *way, const ps_fit *send, const ps_fit *receive,
                           double *cut)
{
        double per_byte = send->fast.per_byte_s + receive->fast.per_byte_s;
        *cut = 1;
        if (way->has_per_byte && way->fast.per_byte_s > 0 && per_byte > way->fast.per_byte_s) {
                ps_calibration_note(c, PS_NOTE_ENDS_HELD_APART);
                *cut = way->fast.per_byte_s / per_byte;
        }
        return (ps_fit_line){send->fast.fixed_s + receive->fast.fixed_s, *cut * per_byte, 0};
}

static void add_end(ps_calibration *c, const char *fixed, const char *per_byte, const ps_fit *fit, double cut)
{
        ps_calibrated *row = add_of(c, fixed, "", PS_A_SECONDS, fit->fast.fixed_s, fit);
        row->low = fit->fixed_low;
        row->high = fit->fixed_high;
        row->typical = fit->typical.fixed_s;
        row->is_assumed = !fit->has_fixed;
        row = add_of(c, per_byte, "", PS_A_SECONDS_PER_BYTE, cut * fit->fast.per_byte_s, fit);
        row->low = fit->per_byte_low;
        row->high = fit->per_byte_high;
        row->typical = fit->typical.per_byte_s;
        row->is_assumed = !fit->has_per_byte || cut < 1;
}

static void make_loggp(ps_calibration *c, const ps_fit *far, const ps_fit *near)
{
        const ps_fit *send = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_SEND];
        const ps_fit *receive = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_RECEIVE];
        ps_machine *m = &c->machine;
        double cut;
        const ps_fit_line ends = ends_of(c, far, send, receive, &cut);
        m->send_overhead_s = send->fast.fixed_s;
        m->send_overhead_s_per_byte = cut * send->fast.per_byte_s;
        m->receive_overhead_s = receive->fast.fixed_s;
        m->receive_overhead_s_per_byte = cut * receive->fast.per_byte_s;
        m->gap_s = fmax(m->send_overhead_s, m->receive_overhead_s);
        add_end(c, "send_overhead_s", "send_overhead_s_per_byte", send, cut);
        add_end(c, "receive_overhead_s", "receive_overhead_s_per_byte", receive, cut);
        ps_calibration_add(c, "gap_s", PS_A_SECONDS, m->gap_s)->is_assumed = true;
        m->link = rest_of(c, far, &ends, 1, "");
        if (near)
                m->intra = rest_of(c, near, &ends, 1, "intra_node");
        ps_calibration_note(c, PS_NOTE_GAP);
}

static void make_hlmo(ps_calibration *c, const ps_fit *far, const ps_fit *near)
{
        const ps_fit *send = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_SEND];
        const ps_fit *receive = &c->cls[PS_CLASS_ALL].fit[PS_SAMPLE_RECEIVE];
        ps_machine *m = &c->machine;
        double cut;
        const ps_fit_line ends = ends_of(c, far, send, receive, &cut);
        m->processing_s = ends.fixed_s / 2;
        m->processing_s_per_byte = ends.per_byte_s / 2;
        add_of(c, "processing_s", "", PS_A_SECONDS, m->processing_s, send)->n_samples += receive->n_samples;
        ps_calibrated *row =
                add_of(c, "processing_s_per_byte", "", PS_A_SECONDS_PER_BYTE, m->processing_s_per_byte, send);
        row->n_samples += receive->n_samples;
        row->is_assumed |= cut < 1;
        m->link = rest_of(c, far, &ends, 0, "");
        if (near)
                m->intra = rest_of(c, near, &ends, 0, "intra_node");
}

ps_status ps_calibrate_lines(ps_calibration *c, const ps_samples *samples, ps_model model, ps_error *err)
{
        const ps_fit *all = c->cls[PS_CLASS_ALL].fit;
        const ps_fit *far = &c->cls[PS_CLASS_FAR].fit[PS_SAMPLE_ONE_WAY];
        const ps_fit *near = &c->cls[PS_CLASS_NEAR].fit[PS_SAMPLE_ONE_WAY];
        bool has_both = far->n_sizes && near->n_sizes;
        const ps_fit *between = far->n_sizes ? far : near, *within = has_both ? near : NULL;
        (void)err;
        if (!between->n_sizes)
                c->refusal = ps_calibration_no_way(samples);
        else if (model != PS_MODEL_HOCKNEY &&
                 (!all[PS_SAMPLE_SEND].n_sizes || !all[PS_SAMPLE_RECEIVE].n_sizes))
                c->refusal = no_ends;
        if (c->refusal)
                return PS_OK;
        c->machine.has_intra = within != NULL;
        if (model != PS_MODEL_HOCKNEY)
                ps_calibration_note_ends(c);
        if (model == PS_MODEL_HOCKNEY)
                make_hockney(c, between, within);
        else if (model == PS_MODEL_LOGGP)
                make_loggp(c, between, within);
        else
                make_hlmo(c, between, within);
        return PS_OK;
}
