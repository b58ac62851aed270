// consumer.cpp - patscan.h serves C++ as it stands, and the linker finds the C names.
#include <patscan/patscan.h>

int main()
{
        patscan_open_options options{};
        return patscan_version()[0] != '\0' && options.size == 0 ? 0 : 1;
}
