"""Learners apart from their loss: averaged weights, and skipped updates."""

import math
from copy import deepcopy

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from training.learner import GradientLearner


def learner_of(weight, averaging):
    network = nn.Linear(1, 1, bias=False)
    nn.init.constant_(network.weight, weight)
    return GradientLearner(network, torch.optim.SGD(network.parameters(), lr=1.0), torch.float32, averaging, 100.0)


def test_the_average_follows_the_network_by_a_part_of_each_step():
    learner = learner_of(8.0, averaging=3)
    learner.descend(learner.network.weight.sum())  # a step of -1
    assert learner.average.weight.item() == pytest.approx(8 - 1 / 1.1), 'at first it spans a tenth of all steps, and 1'
    for _ in range(39):
        learner.descend(0 * learner.network.weight.sum())
    before = learner.average.weight.item()
    assert before == pytest.approx(7.0, abs=1e-4)
    learner.descend(3 * learner.network.weight.sum())
    assert learner.average.weight.item() == pytest.approx(before - 1.0, abs=1e-4), 'a third: it spans 3 steps at most'


def test_the_average_keeps_no_graph():
    learner = learner_of(8.0, averaging=3)
    for _ in range(3):
        learner.descend(learner.network.weight.sum())
    assert learner.average.weight.grad_fn is None
    assert not learner.average.weight.requires_grad


def test_an_update_whose_loss_is_no_number_is_left_out():
    learner = learner_of(8.0, averaging=3)
    with pytest.raises(FloatingPointError, match='left out'):
        learner.descend(learner.network.weight.sum() * float('nan'))
    assert learner.network.weight.item() == learner.average.weight.item() == 8.0
    assert learner.steps == 0


def test_an_average_over_one_step_is_the_network_itself(tmp_path):
    learner, resumed = learner_of(8.0, averaging=1), learner_of(0.0, averaging=1)
    learner.descend(learner.network.weight.sum())
    assert learner.average is learner.network
    save_file(learner.tensors(), tmp_path / 'state')
    resumed.restore(load_file(tmp_path / 'state'))
    assert resumed.network.weight.item() == resumed.average.weight.item() == 7.0


def test_a_resumed_run_that_averages_no_more_continues_from_its_network():
    learner, resumed = learner_of(8.0, averaging=100), learner_of(0.0, averaging=1)
    for _ in range(3):
        learner.descend(learner.network.weight.sum())
    assert learner.average.weight.item() != 5.0
    resumed.restore(learner.tensors())
    assert resumed.network.weight.item() == 5.0


@pytest.mark.parametrize('length', [0.5, 0.999, 1.001, 40.0])
def test_gradients_are_clipped_as_torch_clips_them(length):
    network = nn.Linear(3, 2)
    expected = deepcopy(network)
    learner = GradientLearner(network, torch.optim.SGD(network.parameters(), lr=1.0), torch.float32, 1, 1.0)
    for own in (network, expected):  # a gradient that is as long as it is to be
        nn.init.zeros_(own.weight)
        nn.init.zeros_(own.bias)
    learner.descend(length / math.sqrt(8) * (network.weight.sum() + network.bias.sum()))
    expected.weight.grad, expected.bias.grad = (torch.full(size, length / math.sqrt(8)) for size in ((2, 3), (2,)))
    nn.utils.clip_grad_norm_(expected.parameters(), 1.0)
    assert torch.equal(network.weight, -expected.weight.grad)
    assert torch.equal(network.bias, -expected.bias.grad)
