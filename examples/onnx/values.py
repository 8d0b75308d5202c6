"""Value the legal moves of eight games of Big 2 with an exported network in ONNX Runtime, without torch.

    pip install onnxruntime
    python -m dmc export big2-dmc --onnx big2.onnx --rules hong-kong
    python examples/onnx/values.py big2.onnx hong-kong positions.json

Prints each game's best move and its value in cards. The third argument is a file for the same inputs as JSON, which
`examples/onnx/values.mjs` reads: it prints the same numbers.
"""

import json
import sys

import numpy as np
import onnxruntime

from rlcard_big2 import VectorEnv
from rlcard_big2.cards import format_cards
from rlcard_big2.nets.inputs import network_inputs
from rlcard_big2.nets.spec import SPECS
from rlcard_kit.nets.spec import parse_spec

file, rules, copy = sys.argv[1:]
session = onnxruntime.InferenceSession(file, providers=['CPUExecutionProvider'])
facts = session.get_modelmeta().custom_metadata_map  # settings, inputs, outputs and weights, as text
spec = parse_spec(json.loads(facts['settings'])['network'], SPECS)
positions = VectorEnv(8, rules, seed=7).positions()
inputs = network_inputs(spec, positions)
(values,) = session.run(None, inputs)
for game in range(8):
    first, end = positions.offsets[game : game + 2]
    best = first + np.argmax(values[first:end])
    print(f'game {game}: move {best - first} of {end - first}, {values[best]:.4f}', end='')
    print(f'  {format_cards(int(positions.moves[best])) or "pass"}')
arrays = {name: {'type': str(x.dtype), 'dims': x.shape, 'data': x.ravel().tolist()} for name, x in inputs.items()}
with open(copy, 'w', encoding='utf-8') as out:
    json.dump(arrays, out)
