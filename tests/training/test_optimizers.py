"""Optimisers: torch's, without its compiler."""

import pytest
import torch

from tests.support.commands import run_python
from training import optimizers

WITHOUT_COMPILER = """
import sys, torch
from training.optimizers import Adam, RMSprop
weights = torch.nn.Parameter(torch.ones(3))
for optimizer in (Adam([weights], 0.1, fused=True), RMSprop([weights], 0.1)):
    optimizer.zero_grad()
    weights.sum().backward()
    optimizer.step()
    optimizer.load_state_dict(optimizer.state_dict())
assert (weights < 0.95).all()
assert 'torch._dynamo' not in sys.modules
"""


@pytest.mark.parametrize('kind', ['Adam', 'RMSprop'])
def test_steps_and_state_are_those_of_torch(kind):
    states = []
    for module in (optimizers, torch.optim):
        weights = torch.nn.Parameter(torch.arange(6.0))
        optimizer = getattr(module, kind)([weights], 0.1)
        for step in range(3):
            optimizer.zero_grad()
            (weights**2 - step * weights).sum().backward()
            optimizer.step()
        states.append([weights.tolist(), optimizer.state_dict()])
    ours, torchs = map(str, states)
    assert ours == torchs


def test_torchs_compiler_is_not_loaded(tmp_path):
    run_python(tmp_path, '-c', WITHOUT_COMPILER)
