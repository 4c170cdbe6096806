#!/bin/sh
# Generates the slider-crank into out/slider_crank and builds the host program with it.
set -eu
cd "$(dirname "$0")"
../../carom gen slider_crank --scheme D-:M=1 -o out/slider_crank
# every source of the folder but example_main.c
${CC:-cc} -std=c11 -O2 -ffp-contract=off -Iout/slider_crank main.c out/slider_crank/[!e]*.c -lm -o out/host
