/* fixes_lab.h - looks at what a report says of causes and their fixes. Times are microseconds. What fails
 * fails the test. */
#ifndef PS_TESTS_APP_COMMANDS_FIXES_LAB_H
#define PS_TESTS_APP_COMMANDS_FIXES_LAB_H

#include "tests/app/commands/predict_lab.h"
#include "tests/support/tracegen.h"

/* Of four ranks, each works for so long in a function of this name, and then all meet, so that a round takes
 * `round`: a trace of so many rounds. */
ps_gen *fixes_rounds(uint32_t rounds, const char *name, const uint64_t work[4], uint64_t round);

const cJSON *fixes_causes(const cJSON *root);
const char *fixes_text(const cJSON *row, const char *key); /* "" if it has none */
double fixes_value(const cJSON *row, const char *key);

/* The fix with this word of the first cause. */
void fixes_expect(const cJSON *root, const char *kind, const char *edit, double gain, double run);
/* How many the first cause has; the first one, and the last one. */
void fixes_expect_first(const cJSON *root, int n, const char *edit, const char *bound);
/* How many of this kind all causes have. */
unsigned fixes_count(const cJSON *root, const char *kind);
/* How often the pattern was found. */
double fixes_count_pattern(const cJSON *root, const char *id);

#endif
