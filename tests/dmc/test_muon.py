"""Muon: its steps are those of torch, for square matrices alone."""

import pytest
import torch

from dmc import muon
from dmc.muon import Muon, orthogonalise


def test_singular_values_are_moved_close_to_1():
    torch.manual_seed(1)
    left, right = (torch.linalg.qr(torch.randn(32, 32))[0] for _ in range(2))
    values = torch.linspace(0.1, 1, 32)
    moved = torch.linalg.svdvals(orthogonalise((left @ values.diag() @ right)[None]))
    assert moved.min() > 0.65
    assert moved.max() < 1.25


@pytest.mark.parametrize('steps', [1, 3])
def test_square_matrices_take_the_steps_of_torchs_muon_and_the_others_those_of_adam(steps, monkeypatch):
    monkeypatch.setattr(muon, 'STRIDE', 1)  # as torch's
    torch.manual_seed(2)
    network = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 16))
    other = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 16))
    other.load_state_dict(network.state_dict())
    (first, bias, square, last), inputs = other.parameters(), torch.randn(64, 4)
    optimizers = (
        torch.optim.Adam([first, bias, last], 1e-2),
        torch.optim.Muon([square], 1e-2, weight_decay=0, adjust_lr_fn='match_rms_adamw'),
    )
    ours = Muon(network.parameters(), 1e-2, torch.bfloat16)
    for _ in range(steps):
        for one in (network, other):
            one.zero_grad()
            one(inputs).square().mean().backward()
        ours.step()
        for optimizer in optimizers:
            optimizer.step()
    for mine, theirs in zip(network.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-4)


def test_a_square_matrix_takes_a_long_step_for_several_gradients():
    square = torch.nn.Parameter(torch.eye(8))
    optimizer, moved = Muon([square], 1e-2, torch.float32), []
    for _ in range(2 * muon.STRIDE):
        before = square.detach().clone()
        square.grad = torch.eye(8)
        optimizer.step()
        moved.append(float((before - square.detach()).norm()))
    assert [number for number, length in enumerate(moved, 1) if length] == [muon.STRIDE, 2 * muon.STRIDE]
    assert moved[-1] == pytest.approx(1e-2 * muon.SCALE * muon.STRIDE * 8, rel=0.25)
