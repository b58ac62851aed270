#!/bin/sh
# test_mistaken.sh - who hands in something else than a trace is told what it is and what to do; where that is a command, it works.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
in=$dir/in
mkdir "$in"
picl=$dir/run.trf
"$PATSCAN" dump traces/demo --format picl -o "$picl" || fail 'no PICL trace'

put() { printf "$2" >"$in/$1"; } # NAME BYTES
mistaken() { expect 3 "because: $2" info "$1"; } # PATH WHAT

: >"$in/nothing"
put run.evt ''
for name in nothing run.evt; do mistaken "$in/$name" 'the file is empty'; done
put profile.cubex 'CUBEX.DATA'
mistaken "$in/profile.cubex" 'it is a profile, and waits are found in traces: let Score-P write one, SCOREP_ENABLE_TRACING=true'
for name in run.nsys-rep run.qdrep; do
        put $name 'data'
        mistaken "$in/$name" 'it is a report of Nsight Systems'
done
put run.prv '#Paraver (01/01/2026 at 12:00):1000_ns:1(2):1:1(2:1)\n'
mistaken "$in/run.prv" 'it is a trace for Paraver'
put run.clog2 'CLOG-02.44'
mistaken "$in/run.clog2" 'it looks like a trace of OTF 1, MPE'
put heat.c 'int main(void) { return 0; }\n'
mistaken "$in/heat.c" 'it is a source file: compile it with -g'
mistaken "$PATSCAN" "it is a program: record it, patscan run -- mpirun -n 4 $PATSCAN"
put job.sh '#!/bin/sh\nmpirun -n 4 ./app\n'
mistaken "$in/job.sh" "it is a script: record what it starts, patscan run -- $in/job.sh"

# Packed folders, by their name or by what is in them.
tar -cf "$in/run.tar" -C traces demo
cp "$in/run.tar" "$in/run"
tar -czf "$in/run.tar.gz" -C traces demo
for name in run.tar run run.tar.gz; do
        mistaken "$in/$name" "it is a packed folder: unpack it by tar -xf $in/$name, and name the folder"
done
tar -xf "$in/run.tar" -C "$dir" && expect 0 '' info "$dir/demo"

# Compressed files: what is told works.
for tool in gzip xz zstd bzip2; do
        command -v $tool >/dev/null || continue
        $tool -c "$picl" >"$in/run.trf.$tool" 2>"$dir/said" || fail "$tool failed"
        mistaken "$in/run.trf.$tool" "it is compressed: $tool -dc $in/run.trf.$tool | patscan -"
        $tool -dc "$in/run.trf.$tool" | "$PATSCAN" info - >"$dir/out" || fail "$tool: what is told does not work"
done
put run.xz '\3757zXZ\000'
mistaken "$in/run.xz" 'it is compressed: xz -dc'
cp "$in/run.xz" "$in/my; run.xz"
mistaken "$in/my; run.xz" "it is compressed: xz -dc '$in/my; run.xz' | patscan -"
put run.zst '\050\265\057\375'
mistaken "$in/run.zst" 'it is compressed: zstd -dc'

"$PATSCAN" traces/demo -q --report "json:$in/report.json"
expect 3 "it is a report that patscan saved: patscan compare $in/report.json OTHER, or patscan lsp $in/report.json" "$in/report.json"
"$PATSCAN" compare "$in/report.json" traces/demo >"$dir/out" || fail 'a saved report cannot be compared'

# works WHAT PATH: what is told for the path ends in a path that can be read
works() {
        mistaken "$2" "$1"
        "$PATSCAN" info "$(sed -n 's/.*: patscan //p' "$dir/err")" >"$dir/out" || fail "what is told for $2 does not work"
}
cp -r traces/demo "$in/scorep-run"
for part in 0.evt 0.def; do works 'it is a part of an OTF2 archive: patscan ' "$in/scorep-run/traces/$part"; done
works 'it is the inside of an OTF2 archive: patscan ' "$in/scorep-run/traces"
(cd "$in/scorep-run/traces" && works 'it is a part of an OTF2 archive: patscan ' 0.evt; exit $bad) || bad=1
mkdir -p "$dir/above/more" && cp -r traces/demo "$dir/above/more/scorep-run"
works 'there is an OTF2 archive below it: patscan ' "$dir/above"
works 'there is an OTF2 archive below it: patscan ' "$dir/above/more/"

# What Score-P leaves of a run that was killed, and of one that was to be profiled only.
rm "$in/scorep-run/traces.otf2"
mistaken "$in/scorep-run" 'its OTF2 archive has no .otf2 file, which is written when a run ends: was it aborted?'
mistaken "$in/scorep-run/traces.def" 'it is a part of an OTF2 archive without its .otf2 file'
mistaken "$in/scorep-run/traces/0.evt" 'it is a part of an OTF2 archive without its .otf2 file'
mkdir "$dir/scorep-profile" && : >"$dir/scorep-profile/scorep.cfg" && : >"$dir/scorep-profile/profile.cubex"
mistaken "$dir/scorep-profile" 'Score-P wrote a profile only, and waits are found in traces: run again with SCOREP_ENABLE_TRACING=true'

# What cannot be known is not guessed.
put words.txt 'some words\n'
expect 3 'this is not a trace of a known format' info "$in/words.txt"
! grep -q because "$dir/err" || fail "words.txt is guessed to be something: $(cat "$dir/err")"
mkdir "$dir/bare"
expect 3 'this folder holds no trace of a known format' info "$dir/bare"
exit $bad
