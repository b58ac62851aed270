# common.sh - what scripts that record programs share: a folder of their own, a launcher and its name, and need and fail.
set -u
: "${PATSCAN:?}" "${RECORD_SOURCE:?}"
mpi=$1
case=$2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cd "$dir" || exit 2

need() { command -v "$1" >/dev/null 2>&1 || { echo "$1 is not installed"; exit 77; }; }
need python3
need otf2-print
need "mpicc.$mpi"
need "mpirun.$mpi"
test -e "$(dirname "$PATSCAN")/record/record-$mpi.so" || { echo "no recorder for $mpi"; exit 77; }

launch="mpirun.$mpi -n 4"
[ "$mpi" = mpich ] || launch="mpirun.$mpi --oversubscribe --mca osc sm -n 4"

fail() { echo "$*"; sed 's/^/    /' errors 2>/dev/null | head -n 20; exit 1; }
