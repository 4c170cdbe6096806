#!/bin/sh
# Runs the impacting oscillator for several coefficients of restitution and prints one row for each.
# The integrator is compiled once: parameters are given at run time.
set -eu
cd "$(dirname "$0")"

# the number behind "name": in the JSON object on standard input
field() { sed -n "s/.*\"$1\":\([-+.0-9e]*\).*/\1/p"; }

printf '%-12s %-8s %-12s %s\n' restitution impacts impulse q
for e in 0 0.2 0.4 0.6 0.8; do
    json=$(../../carom run impacting_oscillator --set restitution=$e --json --out out/$e)
    impacts=$(echo "$json" | field events)
    impulse=$(echo "$json" | sed 's/.*"impulse":{//; s/}.*//' | field wall)
    q=$(echo "$json" | sed 's/.*"q":{//; s/}.*//' | field q)
    printf '%-12s %-8s %-12.6g %.6g\n' "$e" "$impacts" "$impulse" "$q"
done
