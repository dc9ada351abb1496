#!/bin/sh
# Greets whoever is named.
name=${1:-nobody}
echo "Hello, $nmae!"
