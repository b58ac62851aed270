#!/bin/sh
# test_golden.sh - what patscan prints looks as it did.
exec "$PATSCAN_SOURCE/tests/cli/run"
