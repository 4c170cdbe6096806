#!/bin/sh
# run.sh MODEL float|double m4|m7: runs in QEMU what build.sh made, and tells its flash and its largest frame.
set -eu
cd "$(dirname "$0")"
case $3 in m4) board=mps2-an386 ;; *) board=mps2-an500 ;; esac
timeout 60 qemu-system-arm -M $board -icount shift=0 -nographic -monitor none -serial none \
    -semihosting-config enable=on,target=native -kernel "out/$1_$2_$3.elf" 2>&1
arm-none-eabi-size "out/$1_$2_$3.elf" | awk 'NR == 2 { print "flash " $1 + $2 }'
cat out/"$1_$2_$3".*.su | awk '$2 > most { most = $2 } END { print "frame " most }'
