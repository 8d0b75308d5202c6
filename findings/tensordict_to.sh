#!/usr/bin/env bash
# Packages: tensordict 0.14.3, torch 2.13.0
# Behaviour: TensorDict.to(dtype), half() and float() cast every entry: masks become numbers, and action ids lose
#   digits or become infinite. torch.nn.Module.to casts floating-point tensors alone.
# Guess: only the floating-point entries are cast, as in a module.
# Seen on 28 November 2026 with Python 3.11: action 70001 becomes inf as float16, the bool mask float16.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
    torch==2.13.0 tensordict==0.14.3 numpy==2.2.6
"$folder/bin/python" -I - <<'EOF'
import torch
from tensordict import TensorDict


class Module(torch.nn.Module):
    def __init__(self, **entries):
        super().__init__()
        for name, value in entries.items():
            self.register_buffer(name, value)


entries = {'observation': torch.ones(3), 'mask': torch.tensor([True, False]), 'action': torch.tensor(70001)}
module = Module(**entries).to(torch.float16)
half = TensorDict(entries).to(torch.float16)
for name in entries:
    print(name, 'module', getattr(module, name), 'tensordict', half[name])
if not (half['mask'].dtype == half['action'].dtype == torch.float16 and half['action'].isinf()):
    raise SystemExit('changed: masks and actions keep their dtype')
if module.action != 70001 or module.mask.dtype != torch.bool:
    raise SystemExit('changed: modules cast integers')
EOF
