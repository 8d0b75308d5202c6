"""Agents that overwrite their arguments, and answer with objects of their own: they play what they chose."""

import numpy as np
import pytest

from dmc.config import Config
from dmc.opponents import make_players
from rlcard_big2.agents.base import BatchAgent, GreedyAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import Rules
from rlcard_kit.agents import Decision
from rlcard_kit.duplicate import players as players_module
from rlcard_kit.duplicate.deals import play_deals
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from training.workers import seat_trained


class Overwriting(BatchAgent):
    """Makes every legal move its whole hand, and spoils the rest, after it has chosen as the greedy agent does."""

    def choose(self, positions, random):
        indices = GreedyAgent().choose(positions, random).indices
        positions.moves[:] = np.repeat(positions.observations['hand'], positions.counts)
        positions.observations.view(np.uint8)[:] = 255
        positions.offsets[:] = 0
        random[:] = 0
        return Decision(indices)


class Answer(Decision):
    """Passes every check, and then names the last legal moves of the last game."""

    def _replace(self, **parts):
        return Decision(np.full_like(parts['indices'], 10**4))


class Answering(BatchAgent):
    def choose(self, positions, random):
        return Answer(GreedyAgent().choose(positions, random).indices)


class OverwritingState:
    """Spoils a state of RLCard's protocol likewise."""

    use_raw = False

    def eval_step(self, state):
        action, _ = GreedyAgent().eval_step(state)
        spoil(state)
        return action, {}


def spoil(value):
    if isinstance(value, np.ndarray):
        if value.flags.writeable:
            value.view(np.uint8)[:] = 255
    elif isinstance(value, dict):
        for part in value.values():
            spoil(part)
        value.clear()
    elif isinstance(value, list):
        value[:] = ['3d'] * 60


@pytest.mark.parametrize('agent', [Overwriting, Answering, OverwritingState])
def test_a_match_is_played_by_what_was_chosen(agent):
    attacked, honest = (play_match(one, GreedyAgent(), 30, seed=3) for one in (agent(), GreedyAgent()))
    assert np.array_equal(attacked.payoffs, honest.payoffs)
    assert np.array_equal(attacked.field, honest.field)


@pytest.mark.parametrize('agent', [Overwriting, Answering])
def test_an_opponent_in_training_plays_what_it_chose(agent):
    name = f'python:{__name__}:{agent.__name__}'
    opponents = [make_players(Config.of(opponent=one), Config().find_game(), None, None)[1] for one in (name, 'greedy')]
    attacked, honest = map(payoffs_against, opponents)
    assert np.array_equal(attacked, honest)


def payoffs_against(opponent):
    """Return the payoffs of 60 turns at a trainer's table, with greedy play in the trained seats."""
    env = VectorEnv(BIG2, Rules(), new_streams(5, 8))
    seating = seat_trained(np.ones(8, np.bool_), BIG2.teams)
    table = Table(env, [GreedyAgent(), opponent], seating, new_streams(6, 8)[:, None])
    return np.array([table.turn().payoffs.copy() for _ in range(60)])


class Slow(BatchAgent):
    clock = 0  # ms

    def choose(self, positions, random):
        Slow.clock += 10
        return GreedyAgent().choose(positions, random)


class SlowState:
    use_raw = False

    def eval_step(self, state):
        Slow.clock += 2
        return GreedyAgent().eval_step(state)


def test_the_time_of_each_move_is_kept(monkeypatch):
    monkeypatch.setattr(players_module, '_clock', lambda: Slow.clock / 1000)
    players = [MatchPlayer(agent, 'agent') for agent in (Slow(), SlowState())]
    outcome = play_deals(BIG2, players, deals_from_seed(0, 2), BIG2.seatings(0, 1), Rules(), 0)
    seconds, moves = np.moveaxis(outcome.times, -1, 0)
    assert np.array_equal(moves.sum(axis=2), outcome.plies)
    own = BIG2.seatings(0, 1) == 0
    assert 0.01 * outcome.plies.max() / 4 < seconds[:, own].sum() < 0.01 * moves[:, own].sum(), 'shared by the games'
    assert seconds[:, ~own] == pytest.approx(0.002 * moves[:, ~own])
