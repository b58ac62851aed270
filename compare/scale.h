/* scale.h - several runs of one program on different numbers of processes: how much faster it gets, why not
 * more, and where that leads.
 *
 * The measure of all is CPU time: the locations of a run times its length. It consists of the functions'
 * times and of what is not running, so that what it grows by is the sum of what these grow by. If the program
 * scaled perfectly it would stay the same (strong scaling: the same problem), or grow as the number of
 * locations (weak: as much work for each). */
#ifndef PS_COMPARE_SCALE_H
#define PS_COMPARE_SCALE_H

#include "compare/growth.h"
#include "compare/run.h"

enum { PS_SCALE_RUNS_MAX = 20, PS_SCALE_AHEAD = 3 };

/* A call path in one run. Times are seconds of all locations together. */
typedef struct ps_scale_part {
        double exclusive_s, waiting_s;
        double longest_s; /* of a process */
        uint64_t visits;
} ps_scale_part;

typedef struct ps_scale_function {
        char *key, *file; /* key: names of regions, separated by " > " */
        const char *name; /* the last of them, in the key */
        uint32_t line;
        bool is_call; /* of a library: MPI_Send */
        bool is_idle; /* waits, as its recorder says: "idle" of PICL */
        ps_scale_part part;
} ps_scale_function;

/* POP efficiencies; NAN: not known. */
typedef struct ps_scale_factors {
        double global, parallel, load_balance, communication, serialization, transfer;
        double computation_scalability;
} ps_scale_factors;

/* An interval in one run, with those below it. Times are of all locations together, but for the length. */
typedef struct ps_scale_stay {
        bool is_there;
        unsigned run;                  /* of the scaling */
        double duration_s, cpu_s;      /* cpu_s: the length, for each location */
        double computing_s, longest_s; /* longest_s: of a location */
        double transfer_s;
        double speedup; /* NAN: not known, like the factors; serialization and transfer never are */
        ps_scale_factors factors;
} ps_scale_stay;

typedef struct ps_scale_lap {
        uint64_t id; /* the same in all runs */
        char *title, *name, *file;
        uint32_t line, level;
        ps_scale_stay stay;
} ps_scale_lap;

typedef struct ps_scale_run {
        const char *path;
        uint64_t processes, locations;
        double duration_s;  /* of the focus */
        double computing_s; /* of all locations */
        bool is_partial;
        PS_VECTOR(ps_scale_function) functions;
        PS_VECTOR(ps_scale_lap) laps; /* intervals, without the whole run */
        /* Against the run with the fewest locations. */
        double speedup;
        ps_scale_factors factors;
} ps_scale_run;

/* A call path over all runs. */
typedef struct ps_scale_row {
        const char *key, *name, *file;
        uint32_t line;
        bool is_call, is_idle;
        ps_scale_part part[PS_SCALE_RUNS_MAX]; /* by run; zeros: not visited */
        double lost_s;    /* CPU time of the largest run that would not be there if it scaled */
        ps_growth growth; /* of its CPU time (strong), or of that of a location (weak) */
} ps_scale_row;

typedef enum ps_scale_what {
#define PS_SCALE_WHAT(id, name, text) PS_SCALE_##id,
#include "compare/scale_whats.def"
#undef PS_SCALE_WHAT
        PS_SCALE_WHATS
} ps_scale_what;
extern const char *const ps_scale_names[PS_SCALE_WHATS];

/* What stops the program from scaling. */
typedef struct ps_scale_limit {
        ps_scale_what what;
        uint32_t row;
        double lost_s; /* CPU time of the largest run */
        double share;  /* of all its CPU time */
} ps_scale_limit;

/* An interval over all runs. */
typedef struct ps_scale_interval {
        const ps_scale_lap *lap; /* of the first run that has it */
        ps_scale_stay *stay;     /* by run */
        double lost_s;           /* see ps_scale_row; what of it is idle and waiting included */
        ps_growth growth;        /* of cpu_s (strong), or of that of a location (weak) */
        ps_scale_what what;      /* the largest reason; PS_SCALE_WHATS: none costs much */
        double reason_s;         /* what it costs of the largest run's CPU time */
        uint32_t limit;          /* where that is most; PS_NONE: not known */
} ps_scale_interval;

typedef struct ps_scale_forecast {
        uint64_t locations;
        double duration_s, speedup; /* NAN: so few runs do not tell */
} ps_scale_forecast;

typedef struct ps_scaling {
        bool is_weak;
        ps_scale_run run[PS_SCALE_RUNS_MAX]; /* by locations, then by duration */
        unsigned n;
        PS_VECTOR(ps_scale_row) rows;           /* what loses most first */
        PS_VECTOR(ps_scale_limit) limits;       /* most important first */
        PS_VECTOR(ps_scale_interval) intervals; /* what loses most first */
        ps_scale_stay *stays;                   /* of all intervals */
        double common_share; /* of the largest run's functions' time, in those that the smallest one has, too
                              */
        ps_scale_forecast ahead[PS_SCALE_AHEAD];
        double missed_by; /* the laws say so much more of the largest run, a share of it; NAN: so few runs do
                           * not tell */
} ps_scaling;

/* A run of a report that is made, or of a saved one; only `path` is borrowed. To be cleared, also after a
 * failure. */
ps_status ps_scale_run_of_report(ps_scale_run *out, const ps_report *report, const char *path, ps_error *err);
ps_status ps_scale_run_read(ps_scale_run *out, const char *path, ps_error *err);
void ps_scale_run_clear(ps_scale_run *run);

/* Of the runs that stand in `scaling->run`, two at least, of different numbers of locations. */
ps_status ps_scale(ps_scaling *scaling, ps_error *err);
void ps_scaling_clear(ps_scaling *scaling);

/* Whatever costs less of the largest run's CPU time than this is not a reason. */
extern const double ps_scale_least_share, ps_scale_alone;
/* How many times the CPU time of the smallest run this one would take if the program scaled. */
double ps_scale_fair_growth(const ps_scaling *scaling, unsigned run);

/* For those who make a run, and ps_scale. */
ps_status ps_scale_run_add_intervals(ps_scale_run *out, const ps_run *run, ps_error *err);
void ps_scale_lap_clear(ps_scale_lap *lap);
ps_status ps_scale_find_intervals(ps_scaling *scaling, ps_error *err);

/* "relax", of a call "MPI_Allreduce in relax". Returns `room`. */
enum { PS_SCALE_NAME_ROOM = 256 };
const char *ps_scale_name(char room[PS_SCALE_NAME_ROOM], const ps_scale_row *row);

/* What a limit means, in a sentence. Returns `room`. */
enum { PS_SCALE_TEXT_ROOM = 768 };
const char *ps_scale_say(char room[PS_SCALE_TEXT_ROOM], const ps_scaling *scaling,
                         const ps_scale_limit *limit);

#endif
