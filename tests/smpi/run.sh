#!/bin/sh
# run.sh - the five programs of programs.c on three machines that SimGrid's SMPI simulates: links between all pairs of
# 16 ranks that hinder nobody, twice, and a star; no overheads, the algorithms of Open MPI.
#
#   run.sh FOLDER
#
# makes FOLDER/PROGRAM.near and FOLDER/PROGRAM.far, the lines that the programs print: 5 us and 1 GB/s, 20 us and
# 250 MB/s. And FOLDER/PROGRAM.star: a link of 2.5 us and 1 GB/s from each to a switch and one back, which messages
# share. 77: there is no SimGrid here.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 ranks=16
command -v smpicc >/dev/null 2>&1 && command -v smpirun >/dev/null 2>&1 || exit 77

platform() { # LATENCY BANDWIDTH
        awk -v n=$ranks -v latency="$1" -v bandwidth="$2" 'BEGIN {
                print "<?xml version=\"1.0\"?>"
                print "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
                print "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\">"
                for (i = 0; i < n; i++) printf "<host id=\"h%d\" speed=\"1Gf\"/>\n", i
                for (i = 0; i < n; i++) for (j = 0; j < n; j++) if (i != j)
                        printf "<link id=\"%d-%d\" latency=\"%s\" bandwidth=\"%s\" sharing_policy=\"FATPIPE\"/>\n",
                                i, j, latency, bandwidth
                for (i = 0; i < n; i++) for (j = 0; j < n; j++) if (i != j)
                        printf "<route src=\"h%d\" dst=\"h%d\" symmetrical=\"NO\"><link_ctn id=\"%d-%d\"/></route>\n",
                                i, j, i, j
                print "</zone></platform>"
        }'
}

star() {
        awk -v n=$ranks 'BEGIN {
                print "<?xml version=\"1.0\"?>"
                print "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
                print "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\">"
                for (i = 0; i < n; i++) printf "<host id=\"h%d\" speed=\"1Gf\"/>\n", i
                for (i = 0; i < n; i++) for (way = 0; way < 2; way++)
                        printf "<link id=\"%s%d\" latency=\"2.5us\" bandwidth=\"1GBps\" sharing_policy=\"SHARED\"/>\n",
                                way ? "to" : "from", i
                for (i = 0; i < n; i++) for (j = 0; j < n; j++) if (i != j)
                        printf "<route src=\"h%d\" dst=\"h%d\" symmetrical=\"NO\"><link_ctn id=\"from%d\"/><link_ctn id=\"to%d\"/></route>\n",
                                i, j, i, j
                print "</zone></platform>"
        }'
}

settings='network/model:CM02 network/TCP-gamma:0 network/crosstraffic:no network/latency-factor:1
network/bandwidth-factor:1 smpi/os:0:0:0 smpi/or:0:0:0 smpi/ois:0:0:0 smpi/coll-selector:ompi
smpi/simulate-computation:no smpi/send-is-detached-thresh:65536 smpi/async-small-thresh:65536 smpi/wtime:0
smpi/test:0'

cd "$folder" || exit 1
smpicc -O1 "$here/programs.c" -o programs || exit 1
platform 5us 1GBps >near.xml
platform 20us 250MBps >far.xml
star >star.xml
i=0
while [ $i -lt $ranks ]; do echo "h$i"; i=$((i + 1)); done >hosts
for program in trees borders transpose wave halves; do
        for machine in near far star; do
                # shellcheck disable=SC2046,SC2086 # a word each
                smpirun -np $ranks -platform $machine.xml -hostfile hosts $(printf -- '--cfg=%s ' $settings) \
                        --log=root.thres:error ./programs $program >$program.$machine 2>log ||
                        { cat log >&2; exit 1; }
        done
done
