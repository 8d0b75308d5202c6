"""A small network that learns to choose as a larger one."""

import numpy as np

from dmc.big2.distil import Distil
from dmc.big2.self_play import StudentLearner, values_of
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_kit.agents import choose_highest
from tests.support.positions import positions_after


def test_it_learns_the_choices_of_the_other_network(tmp_path):
    learner = StudentLearner(Distil(tmp_path / 'own', hidden_size=16, learning_rate=1e-2))
    positions = positions_after(9, 40)
    targets = -np.arange(len(positions.moves), dtype=np.float32) % 7
    for _ in range(150):
        learner.step((positions, targets), 1.0)
    assert learner.recent > 0.6
    values = values_of(learner.network, positions.observations, positions.moves, positions.owners)
    chosen = choose_highest(values.detach().numpy(), positions.offsets)
    assert np.mean(targets[chosen] == targets[choose_highest(targets, positions.offsets)]) > 0.9


def test_the_command_writes_a_network_that_plays(tmp_path, capsys):
    options = Distil(tmp_path / 'own', positions=3000, hidden_size=8, rules='taiwan')
    options.run()
    assert 'it chooses as big2-dmc in' in capsys.readouterr().out
    agent = DMCAgent.load(options.folder, numpy=True)
    assert agent.trained_on == Rules.preset('taiwan')
    positions = positions_after(9, 12, 'taiwan')
    assert np.isfinite(agent.network.values(positions)).all()
