/* json.c - a calibration for programs: docs/CALIBRATION.md. */
#include "report/calibration/calibration.h"
#include "report/print/record_rows.h"

static const char *const schema_names[] = {"patscan-calibration-1"};

static double replayed_s(const ps_calibrate_replay *replay)
{
        return replay->never_ends ? NAN : ps_time_seconds(replay->replayed);
}

#define RECORD     fit_line
#define RECORD_DEF "report/calibration/line.def"
#define RECORD_IN  ps_fit
#define RECORD_IT  ps_fit_line
#define RECORD_DOC "a straight line through times by size"
#include "report/print/make_record.def"

#define RECORD     fit_segment
#define RECORD_DEF "report/calibration/segment.def"
#define RECORD_IN  ps_fit
#define RECORD_IT  ps_fit_segment
#define RECORD_DOC "a range of sizes with a line of its own"
#include "report/print/make_record.def"

#define RECORD     fit
#define RECORD_DEF "report/calibration/fit.def"
#define RECORD_IT  ps_fit
#define RECORD_DOC "what samples of one kind tell"
#include "report/print/make_record.def"

#define RECORD     class_fit
#define RECORD_DEF "report/calibration/class.def"
#define RECORD_IN  ps_calibration
#define RECORD_IT  ps_class_fit
#define RECORD_DOC "the samples of a class of pairs"
#include "report/print/make_record.def"

#define RECORD     parameter
#define RECORD_DEF "report/calibration/parameter.def"
#define RECORD_IT  ps_calibrated
#define RECORD_DOC "a parameter of the machine"
#include "report/print/make_record.def"

#define RECORD     parameter_sum
#define RECORD_DEF "report/calibration/sum.def"
#define RECORD_IT  ps_calibrated_sum
#define RECORD_DOC "a sum of parameters, over all pairs"
#include "report/print/make_record.def"

#define RECORD     unused_sample
#define RECORD_DEF "report/calibration/unused.def"
#define RECORD_IN  ps_samples
#define RECORD_IT  ps_calibrate_reason_info
#define RECORD_DOC "why messages were left out, and how many"
#include "report/print/make_record.def"

#define RECORD     calibration_note
#define RECORD_DEF "report/calibration/note.def"
#define RECORD_IT  ps_calibrate_reason_info
#define RECORD_DOC "what is doubtful"
#include "report/print/make_record.def"

static void put_calibration_notes(ps_row *to, const char *key, const ps_calibration *c)
{
        ps_row_open(to, key, '[');
        for (int i = 0; i < PS_N_NOTES; i++)
                if (c->notes >> i & 1)
                        ps_record_put(to, NULL, &ps_record_calibration_note, NULL, &ps_calibrate_notes[i]);
        ps_row_close(to, ']');
}

#define RECORD       calibration
#define RECORD_DEF   "report/calibration/calibration.def"
#define RECORD_IT    ps_calibrate_report
#define RECORD_DOC   "What `patscan calibrate --report json` writes, version 1."
#define RECORD_WRITE ps_calibrate_write_json
#define RECORD_STYLE PS_ROW_INDENTED
#include "report/print/make_record.def"
