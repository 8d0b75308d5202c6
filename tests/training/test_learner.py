"""Learners apart from their loss: averaged weights, skipped updates, rates and precision."""

import math
from copy import deepcopy

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from dmc.config import Config
from training.checkpoint import Counters
from training.learner import GradientLearner, rate_factor
from training.machine import choose_precision, product, shortest
from training.progress import Progress

NOTHING = np.zeros((0, 2))  # statistics


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
    assert not learner.average.weight.requires_grad, 'it keeps no graph'
    assert learner.average.weight.item() == pytest.approx(before - 1.0, abs=1e-4), 'a third: it spans 3 steps at most'


def test_an_update_whose_loss_is_no_number_is_left_out():
    learner = learner_of(8.0, averaging=3)
    with pytest.raises(FloatingPointError, match='this update is left out, and the run ends'):
        learner.descend(learner.network.weight.sum() * float('nan'))
    assert learner.network.weight.item() == learner.average.weight.item() == 8.0
    assert learner.steps == 0


@pytest.mark.parametrize('averaging', [1, 100])
def test_a_resumed_learner_that_averages_no_more_continues_from_its_network(tmp_path, averaging):
    learner, resumed = learner_of(8.0, averaging), learner_of(0.0, averaging=1)
    for _ in range(3):
        learner.descend(learner.network.weight.sum())
    assert (learner.average is learner.network) == (averaging == 1)
    save_file(learner.tensors(), tmp_path / 'state')
    resumed.restore(load_file(tmp_path / 'state'))
    assert resumed.network.weight.item() == resumed.average.weight.item() == 5.0


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


def test_the_rate_falls_in_the_last_part_of_a_run():
    assert [rate_factor(done, 0.3) for done in (0.0, 0.7, 0.85, 1.0)] == pytest.approx([1, 1, 0.55, 0.1])
    assert rate_factor(1.0, 0.0) == 1
    progress = Progress(Counters(frames=1, seconds=450.0), NOTHING, minutes=10.0)
    assert progress.done == pytest.approx(0.75, abs=0.01), 'minutes are those of the whole run'
    assert progress.seconds_left == pytest.approx(150, abs=1)
    assert not Progress(Counters(seconds=900.0), NOTHING, minutes=10.0).done, 'nothing is learned yet'


@pytest.mark.parametrize(('faster', 'slower'), [(torch.float32, torch.bfloat16), (torch.bfloat16, torch.float32)])
def test_the_faster_precision_is_measured(monkeypatch, faster, slower):
    seconds = {faster: 1.0, slower: 2.5}
    monkeypatch.setattr('training.machine.shortest', seconds.get)
    found = choose_precision(Config.of().run, lambda dtype: dtype)
    assert found.dtype == faster
    assert f'2.5 times as fast as {str(slower).removeprefix("torch.")}' in found.reason


def test_precision_is_as_set_and_time_is_measured_in_both():
    work = product(32, 'cpu')
    assert choose_precision(Config.of(deterministic=True).run, work) == (torch.float32, 'deterministic')
    assert choose_precision(Config.of(precision='float32').run, work) == (torch.float32, 'as set')
    assert all(shortest(work(dtype)) > 0 for dtype in (torch.float32, torch.bfloat16))
