#!/bin/sh
mkdir -p out
echo built >out/result.txt
