#!/bin/sh
# build.sh MODEL float|double m4|m7 [STEPS H [options of carom gen]]: generates MODEL, builds the loop with it, out/MODEL_TYPE_MACHINE.elf.
set -eu
cd "$(dirname "$0")"
model=$1 real=$2 machine=$3 steps=${4:-2000} h=${5:-1e-5} stack=${STACK:-4096}
shift $(($# < 5 ? $# : 5))
case $machine in
m4) cpu="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16" ;; # single precision in hardware
m7) cpu="-mcpu=cortex-m7 -mfpu=fpv5-d16" ;;    # both
*) echo "build.sh: m4 or m7, not $machine" >&2; exit 2 ;;
esac
name=${model}_${real}
../../carom gen "$model" --real "$real" -o "out/$name" -q "$@"
sources=$(find "out/$name" -name '*.c' ! -name example_main.c | sort)
# QEMU counts an instruction as a nanosecond (-icount shift=0), and its boards have clocks of 25 MHz: 40 instructions are a tick
# shellcheck disable=SC2086  # lists of words
arm-none-eabi-gcc -std=c11 -O2 -ffp-contract=off $cpu -mthumb -mfloat-abi=hard -ffunction-sections -fdata-sections -fstack-usage \
    -Wall -Wextra -Iout/"$name" -DMODEL="$model" -DHEADER="\"$model.h\"" -DREAL="$real" -DLOOP_STEPS="$steps" -DLOOP_H="$h" \
    -DPER_TICK=40 -DSTACK_SIZE="$stack" -nostartfiles -Wl,--gc-sections -Wl,--defsym=STACK="$stack" -T link.ld -dumpdir out/"${name}_$machine." \
    board.c main.c $sources -lm -o out/"${name}_$machine".elf
