#!/bin/sh
# test_output.sh - files appear whole or not at all, and an output that fails is told.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"

"$PATSCAN" man -o "$dir/page" || fail 'cannot write a file'
"$PATSCAN" man | cmp - "$dir/page" || fail 'the file is not what stdout gets'
[ "$(ls -A "$dir")" = page ] || fail "something is left behind: $(ls -A "$dir")"

# Beyond a limit of files, and killed in the middle: what was there stays, and nothing is left behind. The OTF2
# library leaks where it cannot write.
is_as_before() {
        "$PATSCAN" man | cmp - "$dir/page" || fail "$1 changes the file"
        if [ -e /proc/self/fd ] && [ "$(stat -f -c %T "$dir")" = ext2/ext3 ]; then
                [ "$(ls -A "$dir")" = page ] || fail "$1 leaves something behind: $(ls -A "$dir")"
        fi
}
for out in "-o $dir/page" "--format otf2:$dir/archive"; do
        # shellcheck disable=SC2086
        said=$(ulimit -c 0; ulimit -f 1; ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 "$PATSCAN" dump traces/demo $out 2>&1; echo "exit code $?")
        case $said in *large*'exit code 5') ;; *) fail "a limit of files is no output error: $said" ;; esac
        is_as_before 'a limit of files'
done
# With little room for the stack: more is taken where that is allowed.
said=$(ulimit -S -s 200; "$PATSCAN" traces/demo --threads 2 --report json:"$dir/small" 2>&1) || fail "a small stack: $said"
"$PATSCAN" traces/demo --report json | cmp - "$dir/small" || fail 'a small stack changes the report'
said=$(ulimit -s 200; "$PATSCAN" traces/demo 2>&1; echo "exit code $?")
case $said in *'ulimit -s'*'exit code 5') ;; *) fail "no word of the stack: $said" ;; esac
rm "$dir/small"
if strace -o /dev/null true 2>/dev/null; then
        (ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -e inject=write:signal=KILL -o /dev/null \
                "$PATSCAN" dump traces/demo -o "$dir/page") 2>/dev/null
        [ $? -gt 128 ] || fail 'nothing killed it'
        is_as_before 'a killed process'
fi

chmod 640 "$dir/page"
echo old >"$dir/page"
ln -s page "$dir/link"
"$PATSCAN" man -o "$dir/link" || fail 'cannot write through a link'
[ -L "$dir/link" ] || fail 'the link was replaced'
[ "$(stat -c %a "$dir/page")" = 640 ] || fail 'the permissions were changed'
grep -q PATSCAN "$dir/page" || fail 'the target of the link is unchanged'

mkdir "$dir/deep"
ln -s deep/there "$dir/to"
ln -s ../to "$dir/deep/chain"
"$PATSCAN" man -o "$dir/deep/chain" || fail 'cannot write through links to what is not there yet'
[ -L "$dir/to" ] && [ -L "$dir/deep/chain" ] || fail 'a link to what was not there yet was replaced'
grep -q PATSCAN "$dir/deep/there" || fail 'the target of the links was not made'
ln -s loop "$dir/loop"
expect 5 'Too many levels' man -o "$dir/loop"

"$PATSCAN" man -o "$dir/none/page" 2>"$dir/err"
[ $? -eq 5 ] || fail 'a missing folder is no output error'
grep -q 'No such file' "$dir/err" || fail 'the reason is not told'

if [ -c /dev/full ]; then
        "$PATSCAN" man >/dev/full 2>"$dir/err"
        [ $? -eq 5 ] || fail 'a full device is no output error'
        grep -q 'No space left' "$dir/err" || fail 'the full device is not told'
        expect 5 'to="/dev/full", reason="No space left' man -o /dev/full
        [ -c /dev/full ] || fail 'the device was replaced'
fi
if strace -o "$dir/calls" true 2>/dev/null; then # a crash of the machine must not leave an empty file where a full one was
        # (The leak sanitizer cannot be traced.)
        ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -e trace=fsync,rename,linkat,renameat2 -o "$dir/calls" "$PATSCAN" man -o "$dir/page" ||
                fail 'no trace of calls'
        grep -n fsync "$dir/calls" | head -n 1 | grep -q . || fail 'the file is not synced'
        tail -n 2 "$dir/calls" | grep -q rename || fail 'the name is given before the file is synced'
fi
"$PATSCAN" man -o /dev/null || fail 'cannot write to a device'
[ -c /dev/null ] || fail 'the device was replaced'
[ "$("$PATSCAN" version -o - 2>/dev/null; echo $?)" = 2 ] || fail 'an option of other commands is taken'
exit $bad
