"""A small network that learns to choose as a larger one."""

import numpy as np
import pytest

from dmc.big2.distil import Distil, _Learner, distil
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.rules import Rules
from rlcard_kit.agents import choose_highest
from rlcard_kit.errors import KitError
from tests.support.helpers import interrupt_after
from tests.support.positions import positions_after


def test_it_learns_the_choices_of_the_other_network(tmp_path):
    learner = _Learner(Distil(tmp_path / 'own', hidden_size=16, learning_rate=1e-2))
    positions = positions_after(9, 40)
    targets = -np.arange(len(positions.moves), dtype=np.float32) % 7
    for _ in range(150):
        learner.step(positions, targets, 1.0)
    assert learner.recent > 0.6
    values = learner.values(positions.observations, positions.moves, positions.owners)
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
    with pytest.raises(KitError, match='own is there already'):
        distil(options)


def test_an_interruption_saves_what_has_been_learned(tmp_path, capsys, monkeypatch):
    interrupt_after(monkeypatch, _Learner, 'step')
    options = Distil(tmp_path / 'own', positions=100_000, hidden_size=8)
    options.run()
    assert 'of 100,000 choices; wrote' in capsys.readouterr().out
    assert DMCAgent.load(options.folder, numpy=True).trained_on == Rules()


@pytest.mark.parametrize(
    ('flags', 'message'),
    [
        ({'agent': 'rule'}, 'agent=rule: expected big2-dmc or dmc:FOLDER, which have values'),
        ({'rules': 'chess'}, 'chess'),
        ({'positions': 0}, 'positions'),
    ],
)
def test_what_cannot_be_learned_from_is_refused(tmp_path, flags, message):
    with pytest.raises(KitError, match=message):
        distil(Distil(tmp_path / 'own', **flags))
    assert not (tmp_path / 'own').exists()
