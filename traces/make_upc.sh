#!/bin/sh
# make_upc.sh DIR - writes DIR/rod.0 to DIR/rod.3, what `gasp-dump` prints of a UPC run: in each of five steps thread 2 works 6 ms, the others 2 ms,
# before they meet in a barrier; then thread 0 broadcasts for 0.5 ms.
for thread in 0 1 2 3; do
        awk -v me=$thread '
        function say(tag, type, arguments) { printf "%d/4 %.6f> [rod.upc:%d:1] %s %s { %s }\n", me, now, line, tag, type, arguments }
        BEGIN {
                line = 1; say("INIT", "ATOMIC", "MYTHREAD = " me ", THREADS = 4, argc = 1, argv = [ rod ]")
                now = 0.0001; line = 5; say("C_FUNC", "START", "main")
                for (step = 0; step < 5; step++) {
                        began = 0.001 + 0.007 * step
                        now = began + (me == 2 ? 0.006 : 0.002); line = 12
                        say("UPC_NOTIFY", "START", "0, 0"); now += 0.000001; say("UPC_NOTIFY", "END", "0, 0")
                        say("UPC_WAIT", "START", "0, 0"); now = began + 0.006002; say("UPC_WAIT", "END", "0, 0")
                        line = 13; arguments = "<addr=0x10, thread=0, phase=0>, <addr=0x20, thread=0, phase=0>, 64, UPC_IN_MYSYNC|UPC_OUT_MYSYNC"
                        say("UPC_ALL_BROADCAST", "START", arguments); now += 0.0005; say("UPC_ALL_BROADCAST", "END", arguments)
                }
                now = 0.04; line = 17; say("C_FUNC", "END", "main")
        }' >"$1/rod.$thread"
done
