#!/bin/sh
# Generates the Python code of `proto/tollgate/tool/v1` into the folder given, or into `gen` beside this
# script. Needs `grpcio-tools`: tests/peers/install.sh has it. PYTHON names another interpreter.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/gen}
python=${PYTHON:-$here/../peers/.venv/bin/python}
mkdir -p "$out"
cd "$here/../../proto"
exec "$python" -m grpc_tools.protoc --proto_path=. --python_out="$out" --grpc_python_out="$out" tollgate/tool/v1/*.proto
