#!/bin/sh
# Compares what greet.sh says with what it should say.
said=$(sh greet.sh World)
expected=$(cat expected.txt)
if [ "$said" = "$expected" ]; then
    echo "ok: $said"
else
    echo "not ok: said '$said', expected '$expected'"
    exit 1
fi
