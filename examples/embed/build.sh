#!/bin/sh
# Generates the slider-crank into out/slider_crank and builds the host program with it.
set -eu
cd "$(dirname "$0")"
../../carom gen slider_crank --scheme D-:M=1 -o out/slider_crank
sources=$(find out/slider_crank -name '*.c' ! -name example_main.c)
# shellcheck disable=SC2086  # a list of files
${CC:-cc} -std=c11 -O2 -ffp-contract=off -Iout/slider_crank main.c $sources -lm -o out/host
