/* predict_lab.h - runs commands of patscan in this process and reads their reports. What fails fails the
 * test.
 */
#ifndef PS_TESTS_APP_COMMANDS_PREDICT_LAB_H
#define PS_TESTS_APP_COMMANDS_PREDICT_LAB_H

#include <cjson/cJSON.h>

#include "app/cli/commands.h"

enum { TEXT_MAX = 1024 };

/* A folder of the test's own: setup and teardown. */
int predict_lab_open(void **state);
int predict_lab_close(void **state);
#define PREDICT_TEST(name) TEST_BETWEEN(name, predict_lab_open, predict_lab_close)
const char *predict_dir(void);

/* The report of "COMMAND WORDS ...", the trace's `anchor` behind the command, which ends with `expected`. */
cJSON *predict_told(ps_exit expected, const char *anchor, const char *words);
/* Its error contains `part`. */
void predict_refused(const char *anchor, const char *words, const char *part);
/* The number root.first.second. */
double predict_number(const cJSON *root, const char *first, const char *second);
double predict_duration_us(const char *anchor, const char *words);
/* The recorded run with these edits takes so many us, to the nanosecond. */
void predict_takes(const char *anchor, const char *edits, double expected_us);

void predict_near(double value, double expected, double most, const char *what);
#define NEAR(value, expected, most) predict_near((value), (expected), (most), #value)

#endif
