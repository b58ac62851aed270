/* machines.c - see machines.h. */
#include "tests/support/machines.h"
#include "tests/support/test.h"

#include <string.h>

const char lmo_example[] = "LMO\n"
                           "n 4  M1 4096  M2 65536\n"
                           "C 50e-6 60e-6 40e-6 80e-6\n"
                           "t 4e-9 5e-9 3e-9 8e-9\n"
                           "L     -     20e-6 25e-6 30e-6\n"
                           "      20e-6 -     22e-6 35e-6\n"
                           "      25e-6 22e-6 -     28e-6\n"
                           "      30e-6 35e-6 28e-6 -\n"
                           "beta  -          125000000  111111111.11111112  1e8\n"
                           "      125000000  -          117647058.8235294   90909090.90909091\n"
                           "      111111111.11111112 117647058.8235294 -     105263157.89473684\n"
                           "      1e8        90909090.90909091  105263157.89473684  -\n";

ps_machine *machine_of(const char *text)
{
        ps_machine *machine;
        ps_error err = {0};
        if (ps_machine_parse(&machine, text, strlen(text), "test", &err) != PS_OK)
                fail_msg("%s", err.cause[0].text);
        return machine;
}

void expect_refused(const char *text, const char *const *words, int n)
{
        ps_machine *machine;
        ps_error err = {0};
        assert_int_equal(ps_machine_parse(&machine, text, strlen(text), "test", &err), PS_E_INPUT);
        assert_null(machine);
        for (int i = 0; i < n; i++)
                if (!strstr(err.cause[0].text, words[i]))
                        fail_msg("no \"%s\" in: %s", words[i], err.cause[0].text);
}
