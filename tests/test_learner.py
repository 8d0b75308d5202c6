"""What every learner does beside its loss: the average of its weights, and updates that are left out."""

import pytest
import torch
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
