#!/bin/sh
# Generates the arm into out/arm and builds the loop with it.
set -eu
cd "$(dirname "$0")"
../../carom gen arm.lua -o out/arm
# every source of the folder but example_main.c
${CC:-cc} -std=c11 -O2 -ffp-contract=off -Iout/arm main.c out/arm/[!e]*.c -lm -o out/loop
