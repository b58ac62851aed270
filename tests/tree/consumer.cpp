// consumer.cpp - patscan.h serves C++ as it stands, and the linker finds the C names.
#include <patscan/patscan.h>

int main()
{
        ps_summary summary{};
        return ps_version()[0] != '\0' && summary.n_events == 0 ? 0 : 1;
}
