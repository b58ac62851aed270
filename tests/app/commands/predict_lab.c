/* predict_lab.c - see predict_lab.h. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/app/commands/predict_lab.h"
#include "tests/support/damage.h"
#include "tests/support/test.h"

static char *dir;

const char *predict_dir(void)
{
        return dir;
}

void predict_near(double value, double expected, double most, const char *what)
{
        if (!(fabs(value - expected) <= most))
                fail_msg("%s is %.12g, not %.12g", what, value, expected);
}

int predict_lab_open(void **state)
{
        (void)state;
        dir = ps_dir_new();
        return 0;
}

int predict_lab_close(void **state)
{
        (void)state;
        ps_dir_remove(dir);
        free(dir);
        return 0;
}

enum { WORDS_MAX = 24 };

static ps_status command(ps_exit *code, const char *anchor, const char *words, ps_error *err)
{
        char text[TEXT_MAX], report[TEXT_MAX];
        char *argv[WORDS_MAX] = {"patscan"};
        int argc = 1;
        ps_options options;
        snprintf(text, sizeof(text), "%s", words);
        snprintf(report, sizeof(report), "--report=json:%s/report.json", dir);
        for (char *word = strtok(text, " "); word && argc < WORDS_MAX - 4; word = strtok(NULL, " ")) {
                argv[argc++] = word;
                if (argc == 2)
                        argv[argc++] = (char *)(uintptr_t)anchor;
        }
        argv[argc++] = report;
        argv[argc++] = "-q";
        argv[argc++] = "--clock=as-is"; /* records stand within calls, not where the message was */
        *code = PS_EXIT_OK;
        ps_status status = ps_options_parse(&options, argc, argv, err);
        return status < 0 ? status : options.command->run(&options, code, err);
}

static cJSON *read_report(void)
{
        char path[TEXT_MAX];
        snprintf(path, sizeof(path), "%s/report.json", dir);
        size_t n = ps_file_size(path);
        char *text = calloc(n + 1, 1);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(fread(text, 1, n, file), n);
        fclose(file);
        cJSON *root = cJSON_Parse(text);
        assert_non_null(root);
        free(text);
        return root;
}

cJSON *predict_told(ps_exit expected, const char *anchor, const char *words)
{
        ps_error err = {0};
        ps_exit code;
        if (command(&code, anchor, words, &err) < 0)
                fail_msg("%s: %s", words, err.cause[0].text);
        if (code != expected)
                fail_msg("%s: exit code %d", words, (int)code);
        return read_report();
}

void predict_refused(const char *anchor, const char *words, const char *part)
{
        ps_error err = {0};
        ps_exit code;
        assert_true(command(&code, anchor, words, &err) < 0);
        if (!strstr(err.cause[0].text, part))
                fail_msg("%s: %s", words, err.cause[0].text);
}

double predict_number(const cJSON *root, const char *first, const char *second)
{
        const cJSON *item = cJSON_GetObjectItem(cJSON_GetObjectItem(root, first), second);
        if (!cJSON_IsNumber(item))
                fail_msg("no number %s.%s", first, second);
        return item->valuedouble;
}

double predict_duration_us(const char *anchor, const char *words)
{
        cJSON *root = predict_told(PS_EXIT_OK, anchor, words);
        double time = predict_number(root, "trace", "duration_s");
        cJSON_Delete(root);
        return 1e6 * time;
}

void predict_takes(const char *anchor, const char *edits, double expected_us)
{
        char words[TEXT_MAX];
        snprintf(words, sizeof(words), "predict --machine=recorded %s", edits);
        double time = predict_duration_us(anchor, words);
        if (time < expected_us - 0.0011 || time > expected_us + 0.0011)
                fail_msg("%s: %.6f us, not %.6f", edits, time, expected_us);
}
