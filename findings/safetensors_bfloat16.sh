#!/usr/bin/env bash
# Packages: safetensors 0.8.0, ml_dtypes 0.6.0, numpy 2.2.6
# Behaviour: safe_open(file, 'numpy') reads bfloat16 only in a process that has imported ml_dtypes. Installing it does
#   not suffice, so a program reads a file or fails by what else it imports.
# Guess: safetensors imports ml_dtypes itself if it is installed.
# Seen on 28 November 2026 with Python 3.11: TypeError: data type 'bfloat16' not understood; then [1 1] after the
#   import.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    safetensors==0.8.0 ml_dtypes==0.6.0 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import json
import struct
import tempfile

from safetensors import safe_open

header = json.dumps({'w': {'dtype': 'BF16', 'shape': [2], 'data_offsets': [0, 4]}}).encode()
with tempfile.NamedTemporaryFile() as file:
    file.write(struct.pack('<Q', len(header)) + header + b'\x80\x3f' * 2)  # two ones
    file.flush()

    def read():
        with safe_open(file.name, 'numpy') as tensors:
            return tensors.get_tensor('w')

    try:
        read()
    except TypeError as error:
        print('without the import:', error)
    else:
        raise SystemExit('changed: no import is needed')
    import ml_dtypes  # noqa: F401

    print('with the import:', read())
EOF
