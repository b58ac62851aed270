#!/bin/sh
# status.sh - a ps_status is tested in one way: by comparing it with PS_OK.
set -u
cd "$(dirname "$0")/../.." || exit 2
git grep -nE '\bstatus (<|>) 0|\bif \(!?([a-z]+(->|\.))*status\)|!\(?([a-z]+(->|\.))*status\b' -- '*.c' '*.h' ':!tests'
case $? in
0) echo 'compare a status with PS_OK' && exit 1 ;;
1) echo 'each status is compared with PS_OK' ;;
*) exit 2 ;;
esac
