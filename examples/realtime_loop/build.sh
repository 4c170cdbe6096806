#!/bin/sh
# Generates the arm into out/arm and builds the loop with it.
set -eu
cd "$(dirname "$0")"
../../carom gen arm.lua -o out/arm
sources=$(find out/arm -name '*.c' ! -name example_main.c)
# shellcheck disable=SC2086  # a list of files
${CC:-cc} -std=c11 -O2 -ffp-contract=off -Iout/arm main.c $sources -lm -o out/loop
