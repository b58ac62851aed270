/* format.h - what the loader needs of a trace format: a reader is one, and so is a run that was simulated.
 *
 * open() reads the definitions; then each location is a stream of its own. Streams of different locations
 * may be read by different threads at the same time, one stream only by one thread. The whole contract:
 * a batch holds events of ONE location, with non-decreasing times, and the batches of a location come in
 * program order. Nothing else may be assumed: not that locations come in any order, not that times of two
 * locations are comparable. Times count in picoseconds from any zero and stay within +-PS_READER_TIME_LIMIT,
 * so that differences of any two can be formed. */
#ifndef PS_CORE_MODEL_FORMAT_H
#define PS_CORE_MODEL_FORMAT_H

#include "core/model/defs.h"
#include "core/model/event.h"
#include "core/model/issue.h"

#define PS_READER_TIME_LIMIT (INT64_C(1) << 60) /* 13 days */

typedef struct ps_reader ps_reader; /* each format's own */
typedef struct ps_stream ps_stream;
typedef struct ps_builder ps_builder;
typedef struct ps_row_pool ps_row_pool;

/* Where a stream is, between two batches: an offset in its file that only grows, and what its format knows
 * there. */
typedef struct ps_stream_mark {
        uint64_t offset, state[5];
} ps_stream_mark;

/* A portion of a location's stream, folded without what stands before it. */
typedef struct ps_stream_portion {
        ps_stream_mark from, to; /* `to`: up to where it was folded */
        uint64_t n_events;       /* so many are between them */
        bool is_found, is_over;
} ps_stream_portion;

/* What a format can do for one large location on several threads: each has a stream of its own, in which it
 * finds a place and folds what follows; then the first one, which has folded all before that place, goes on
 * behind what the next has folded. */
typedef struct ps_stream_portions {
        /* Looks for a place to begin at, about at `near` and not before `least`, and reads at least `enough`
         * bytes behind it that can be folded. */
        ps_status (*find)(ps_stream *stream, ps_row_pool *pool, ps_batch *batch, uint64_t least,
                          uint64_t near, uint64_t enough, ps_stream_portion *out, ps_error *err);
        /* The stream goes to its beginning. */
        ps_status (*begin)(ps_stream *stream, const ps_stream_portion *portion, ps_error *err);
        /* Folds a piece of what follows; is_over tells when that was the last. */
        ps_status (*fold)(ps_stream *stream, ps_builder *apart, ps_batch *batch, ps_stream_portion *io,
                          ps_error *err);
        /* From now on the stream ends, with nothing noted, at this offset, or where the record does that
         * holds it. */
        void (*limit)(ps_stream *stream, uint64_t until);
        /* Is the stream just where the portion begins? */
        bool (*is_at)(const ps_stream *stream, const ps_stream_portion *portion);
        /* It goes on where the portion ends. */
        ps_status (*pass)(ps_stream *stream, const ps_stream_portion *portion, ps_error *err);
} ps_stream_portions;

enum { PS_TRACE_PARTS = 3 };

typedef struct ps_reader_class {
        const char *name, *summary;
        const char *instead; /* what to do with such a trace that holds no operations; NULL: nothing */
        /* How sure the format is that it can read `path`, 0 to 100; `head` holds the file's first bytes, and
         * nothing when it is a folder. */
        int (*probe)(const char *path, const uint8_t *head, size_t head_len);
        /* Fills `defs` (initialised, not frozen) and notes what is wrong with them. */
        ps_status (*open)(ps_reader **out, const char *path, ps_defs *defs, ps_issues *issues, ps_error *err);
        void (*close)(ps_reader *reader);

        /* A location's size in bytes, for the progress and for sharing out the work; 0 when unknown. */
        uint64_t (*weight)(const ps_reader *reader, ps_loc location);
        ps_status (*stream_open)(ps_stream **out, ps_reader *reader, ps_loc location, ps_error *err);
        /* The next batch; out->n == 0 is the end. What is wrong with the input is noted in `issues` and ends
         * the stream early; an error is only what stops the whole load (no memory, a failing disk). */
        ps_status (*stream_next)(ps_stream *stream, ps_batch *out, ps_issues *issues, ps_error *err);
        /* The same, but what is plain in front of these events may have been folded already, as
         * core/fold/sink.h tells; its issues are the builder's. NULL: the format would gain nothing by it.
         */
        ps_status (*stream_fold)(ps_stream *stream, ps_builder *builder, ps_batch *out, ps_error *err);
        void (*stream_close)(ps_stream *stream);
        /* The file that the events' offsets count in, so that issues can name it; NULL: there is none. */
        ps_str (*stream_file)(const ps_stream *stream);
        /* To read on from there another time, in any stream of the location; both NULL: the format cannot.
         * A format that has them tells the builder of such places while it folds.
         * What attributes say of the first event behind it is lost, and what is wrong there is not noted
         * again. */
        void (*stream_mark)(const ps_stream *stream, ps_stream_mark *out);
        ps_status (*stream_seek)(ps_stream *stream, const ps_stream_mark *mark, ps_error *err);
        const ps_stream_portions *portions; /* NULL: locations are read from one end to the other */
        /* The files and folders that a trace at `path` lies in, or more, malloc'ed, and how many they are:
         * for whoever has to know whether it changed. 0: without memory. NULL: just that file. */
        unsigned (*parts)(char *out[PS_TRACE_PARTS], const char *path);
        bool lies_apart; /* each location in a file of its own, so that several processes may each read some;
                          * `parts` says what else there is */
        /* Instead of open(), called by all processes that load the trace together: process 0 reads what is to
         * be read once, as open() does, and the others hear of it. Then all have the same definitions, and
         * each the streams of some processes of the program. Issues are process 0's. If anybody fails all do.
         * NULL: the format cannot. */
        ps_status (*open_together)(ps_reader **out, const char *path, struct ps_exchange *x, ps_defs *defs,
                                   ps_issues *issues, ps_error *err);
        /* Which of ours has the streams of a process of the program: asked in process 0 alone, after that.
         * NULL: each has all. */
        uint32_t (*owner)(const ps_reader *reader, ps_proc process);
} ps_reader_class;

#endif
