#!/bin/sh
# Unpacks the unit and builds the importer.
set -eu
cd "$(dirname "$0")"
rm -rf out/unit
mkdir -p out/unit
(cd out/unit && unzip -q ../bouncing_ball.fmu)
token=$(sed -n 's/.*instantiationToken="\([^"]*\)".*/\1/p' out/unit/modelDescription.xml)
library=$(find out/unit/binaries -type f)
${CC:-cc} -std=c11 -O2 -DTOKEN="\"$token\"" -DLIBRARY="\"$library\"" importer.c -o out/importer -ldl
