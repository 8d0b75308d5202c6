"""A network that learns from rollouts of all its candidate moves."""

import numpy as np
import pytest

from dmc.big2 import refine as module
from dmc.big2.refine import Refine, Rollouts, candidates
from dmc.big2.self_play import StudentLearner, values_of
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.registry import make_agent


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    monkeypatch.setattr(module, 'COUNT', 48)


def networks_of(*names):
    return [make_agent(name, light=True).network for name in names]


def test_candidates_are_up_to_four_moves_near_the_best_of_decisions_with_several():
    values = np.array([1, 3, -9, 2, 5, 7, 2, 6.5, 6, 5.5, 5.2, 4], np.float32)
    assert candidates(values, np.array([0, 4, 5, 12])).tolist() == [1, 3, 0, 5, 7, 8, 9]


def test_a_last_move_has_the_outcome_of_the_hands_at_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr(module, 'GAP', 100.0)
    options = Refine(tmp_path / 'own', win_bonus=8.0, seed=3)
    rollouts, ends = Rollouts(options, networks_of('big2-dmc', 'big2-dmc-2026-11')), 0
    for _, (found, outcomes) in zip(range(60), rollouts.turns(), strict=False):
        assert np.bincount(found.owners).min() >= 2
        seen = found.observations.take(found.owners)
        last = seen['hand'] == found.moves
        np.testing.assert_array_equal(outcomes[last], seen['left'][last].sum(axis=1) + 8 * 3 / 4)
        assert (outcomes[~last] >= -13 - 8 / 4).all()
        ends += last.sum()
    assert ends > 5


def test_the_network_has_one_seat_against_others_and_all_against_itself(tmp_path):
    rollouts = Rollouts(Refine(tmp_path / 'own', rules='hong-kong-3'), networks_of('big2-dmc', 'big2-dmc-2026-11'))
    seating = rollouts._table.seating
    assert seating.shape == (48, 3)
    alone = seating[rollouts._field == 1]
    assert np.sort(alone, axis=1).tolist() == [[0, 1, 1]] * 24
    assert {tuple(row) for row in seating[rollouts._field == 0].tolist()} == {(0, 0, 0), (2, 2, 2)}
    found, outcomes = next(rollouts.turns())
    assert len(outcomes) == len(found.moves) > 10


def test_it_learns_differences_between_outcomes_half_way_from_its_own(tmp_path):
    options = Refine(tmp_path / 'own', learning_rate=1e-3)
    learner = StudentLearner(options)
    found, _ = next(Rollouts(options, networks_of('big2-dmc')).turns())
    first = np.diff(found.owners, prepend=-1) > 0
    outcomes = np.where(first, -3, 3).astype(np.float32)  # the best move is the worst
    for _ in range(60):
        learner.step((found, outcomes), 1.0)
    assert learner.recent > 0.5
    values = values_of(learner.network, found.observations, found.moves, found.owners).detach().numpy()
    behind, ahead = (each[~first] - each[first][found.owners[~first]] for each in (found.values, values))
    assert ahead.mean() == pytest.approx((behind.mean() + 6) / 2, abs=0.7)
    assert values.mean() == pytest.approx(found.values.mean(), abs=0.7)


def test_the_command_writes_a_network_that_plays(tmp_path, capsys):
    options = Refine(tmp_path / 'own', positions=100, others=('big2-dmc-2026-11',))
    options.run()
    assert 'of the latest decisions with several candidates' in capsys.readouterr().out
    agent = DMCAgent.load(options.folder, numpy=True)
    assert '--others big2-dmc-2026-11 --win-bonus 5.0' in options.command_line
    assert agent.network.spec == networks_of('big2-dmc')[0].spec
