#!/bin/sh
# test_tutorial.sh - the commands of docs/TUTORIAL.md, cut out of it, do what it says.
set -u
. "$PATSCAN_SOURCE/tests/cli/lab.sh"
if nm -D "$PATSCAN" | grep -q '__[at]san_'; then
        echo 'a sanitized patscan has no recorders'
        exit 77
fi
for mpi in mpich openmpi; do command -v "mpicc.$mpi" >/dev/null && command -v "mpirun.$mpi" >/dev/null && found=$mpi; done
[ -n "${found:-}" ] || { echo 'neither Open MPI nor MPICH is installed'; exit 77; }

mkdir "$dir/bin" "$dir/work"
ln -s "$PATSCAN" "$dir/bin/patscan"
for tool in mpicc mpirun; do ln -s "$(command -v $tool.$found)" "$dir/bin/$tool"; done
PATH=$dir/bin:$PATH
export PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
sed -n '/^```sh$/,/^```$/p' docs/TUTORIAL.md | sed '/^```/d' >"$dir/script"
[ "$(grep -c patscan "$dir/script")" -ge 8 ] || fail 'the tutorial has lost its commands'
cp examples/rod.c "$dir/work/"
cd "$dir/work" || exit 2

# A machine that is busy may keep a rank from a processor: what then takes time is not what the page tells of.
is_shorter() { grep -q '^ *-[0-9.]* m*s (-[0-9.]* %): first ' "$dir/said"; }
for try in 1 2 3; do
        rm -rf ./*.otf2
        sh -eu "$dir/script" >"$dir/said" 2>&1 && is_shorter && break
        [ "$try" -lt 3 ] || { cat "$dir/said"; fail 'a command of the tutorial fails, or the mended run is not told to be shorter'; }
done
first=$(awk '/^ 1  /{ on = 1 } on && NF == 0 { exit } on' "$dir/said" | tr -s ' \n' ' ')
case $first in
*'Rank 1 computes '*' as the others in exchange between rod.c:18 and rod.c:16'*'patscan predict before.otf2 balance:'*) ;;
*) fail "the first cause is another one: $first" ;;
esac
for file in before.html patscan.sarif perf.json; do [ -s $file ] || fail "no $file"; done
exit $bad
