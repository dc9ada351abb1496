#!/bin/sh
# Installs what the tests and .ci/run drive and cargo does not build: the pinned programs of
# package-lock.json into node_modules/, and those of requirements.txt into .venv/. Does nothing,
# quickly, when they are there already; says what it does.
set -eu
cd "$(dirname "$0")"

# A folder is up to date when the stamp in it holds the list that it was made from.
current() { cmp -s "$1" "$2/.installed-from"; }

if current package-lock.json node_modules; then
    echo "npm: node_modules is up to date"
else
    echo "npm: installing what package-lock.json pins into $PWD/node_modules"
    npm ci --ignore-scripts --no-audit --no-fund
    cp package-lock.json node_modules/.installed-from
fi

if current requirements.txt .venv; then
    echo "PyPI: .venv is up to date"
else
    echo "PyPI: installing what requirements.txt pins into $PWD/.venv"
    rm -rf .venv
    python3 -m venv .venv
    .venv/bin/pip install --disable-pip-version-check --quiet --no-deps -r requirements.txt
    cp requirements.txt .venv/.installed-from
fi

node_modules/.bin/buf --version | sed 's/^/buf /'
.venv/bin/python -c 'import grpc; print("grpcio", grpc.__version__)'
