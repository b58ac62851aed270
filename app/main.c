/* main.c - patscan. */
#include "app/cli/program.h"

#include <commit.h>

int main(int argc, char **argv)
{
        return ps_program(argc, argv, PS_COMMIT, NULL);
}
