"""The table: which agents are asked, wrong answers, and the rotation of seats."""

import numpy as np
import pytest

from rlcard_big2.agents.base import BatchAgent, GreedyAgent, RandomAgent
from rlcard_big2.duplicate import deals_from_seed, play_match
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit import vector_env
from rlcard_kit.agents import Decision
from rlcard_kit.errors import IllegalActionError
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table

N = 12


class Answering(BatchAgent):
    """Draws once for each game, then answers with a function of the positions."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def choose(self, positions, random):
        RandomAgent.choose(self, positions, random)
        return Decision(self.answer(positions))


def tabulate(agents, rules='charlesworth', seating=None, ask_forced=True):
    """Return a table of listed deals; by default, all seats belong to the first agent."""
    env = vector_env.VectorEnv(BIG2, rules, deals_from_seed(3, N, rules))
    seats = env.game.num_seats
    seating = np.zeros((N, seats), np.int64) if seating is None else seating
    return Table(env, agents, seating, new_streams(4, seats * N).reshape(N, seats), ask_forced)


WRONG = {
    'the next game': (lambda positions: positions.offsets[1:], 'an index that is not among the legal moves'),
    'before the first': (lambda positions: positions.offsets[:-1] - 1, 'an index that is not among'),
    'the first game for all': (lambda positions: positions.offsets[:-1] * 0, 'an index that is not among'),
    'moves': (lambda positions: positions.moves[positions.offsets[:-1]] | 1 << 40, 'an index that is not'),
    'too few': (lambda positions: positions.offsets[:-2], rf'int64 \[{N - 1}\], not .* \[{N}\]'),
    'one for all': (lambda positions: np.int64(0), rf'int64 \[\], not indices int64 \[{N}\]'),
    'a column': (lambda positions: positions.offsets[:-1, None], rf'int64 \[{N}, 1\], not'),
    'floats': (lambda positions: positions.offsets[:-1] * 1.0, 'float64 .*, not indices int64'),
    'truth values': (lambda positions: positions.offsets[:-1] == 0, 'bool .*, not indices int64'),
    'text': (lambda positions: 'pass', 'not indices int64'),
}


@pytest.mark.parametrize(('answer', 'named'), WRONG.values(), ids=WRONG)
def test_a_wrong_choice_is_refused_and_changes_nothing(answer, named):
    table = tabulate([Answering(answer)])
    games, random = table.env.games.tobytes(), table.random.copy()
    with pytest.raises(IllegalActionError, match=named):
        table.turn()
    assert table.env.games.tobytes() == games
    assert (table.random == random).all()
    assert not table.plies.any()


@pytest.mark.parametrize('values', [np.zeros(N - 1), np.zeros(N + 1), np.zeros((N, 1)), np.zeros(N, int)])
def test_values_of_another_shape_or_type_are_refused(values):
    table = tabulate([Answering(lambda positions: positions.offsets[:-1])])
    table.agents[0].choose = lambda positions, random: Decision(positions.offsets[:-1], values)
    with pytest.raises(IllegalActionError, match=rf'its values are .*, not float32 \[{N}\]'):
        table.turn()


@pytest.mark.parametrize('kind', [np.int8, np.uint16, np.int32, np.int64])
def test_whole_numbers_of_any_size_are_indices(kind):
    # Each game opens with its one legal move, so that all indices fit.
    table = tabulate([Answering(lambda positions: positions.offsets[:-1].astype(kind))])
    table.turn()
    assert (table.env.games['ply'] == 1).all()


@pytest.mark.parametrize('rules', PRESETS)
def test_a_listed_deal_is_played_and_stays_over(rules):
    table = tabulate([RandomAgent()], rules)
    env = table.env
    assert (env.games['hands'][:, : env.game.num_seats] == deals_from_seed(3, N, rules)).all()
    ended, plies, payoffs = np.zeros(N, int), np.zeros(N, int), env.new_payoffs() * 0
    while not env.is_over:
        turn = table.turn()
        assert ((turn.positions.counts > 0) == (ended == 0)).all()
        assert (turn.payoffs[ended > 0] == payoffs[ended > 0]).all()
        plies += turn.positions.counts > 0
        ended += turn.done
        payoffs = turn.payoffs.copy()
    assert (ended == 1).all(), 'each game ends once'
    assert (env.games['ply'] == plies).all()
    assert ((payoffs.max(axis=1) > 0) & (payoffs.sum(axis=1) == 0)).all()
    games = env.games.tobytes()
    table.seat([])  # nobody is left to be asked
    turn = table.turn()
    assert not turn.done.any()
    assert not turn.moves.any()
    assert turn.positions.moves.size == 0
    assert (turn.payoffs == payoffs).all()
    assert env.games.tobytes() == games


def test_the_log_replays_listed_games():
    table = tabulate([RandomAgent()])
    while not table.env.is_over:
        table.turn()
    again = vector_env.VectorEnv(BIG2, 'charlesworth', deals_from_seed(3, N))
    for ply in range(table.plies.max()):
        again.step(table.log[:, ply].copy(), again.new_payoffs(), np.empty(N, np.bool_), check=False)
    assert again.games.tobytes() == table.env.games.tobytes()


def test_listed_deals_keep_their_seats():
    seating = BIG2.seatings(0, 1)[np.arange(N) % 4]
    table = tabulate([GreedyAgent(), RandomAgent()], seating=seating.copy())
    while not table.env.is_over:
        turn = table.turn()
        assert (turn.players == seating[np.arange(N), turn.seats]).all()
    assert (table.seating == seating).all()


class Counting(GreedyAgent):
    """Says how many moves it has, and keeps the least number that it was ever asked about."""

    least = 99

    def choose(self, positions, random):
        self.least = min(self.least, positions.counts.min())
        return Decision(super().choose(positions, random).indices, positions.counts.astype(np.float32))


@pytest.mark.parametrize(('ask_forced', 'least'), [(True, 1), (False, 2)])
def test_what_players_expect_is_noted_in_the_games_in_which_they_were_asked(ask_forced, least):
    agent = Counting()
    table = tabulate([agent], ask_forced=ask_forced)
    while not table.env.is_over:
        turn = table.turn()
        counts = turn.positions.counts
        assert np.array_equal(turn.values, np.where(counts >= least, counts, np.nan), equal_nan=True)
        assert np.isnan(turn.log_probabilities).all()
    assert agent.least == least


def test_a_stream_of_each_seat_is_drawn_from_by_that_seat_alone():
    table = tabulate([RandomAgent()])
    before, seats = table.random.copy(), table.env.players
    table.turn()
    changed = table.random != before
    assert (changed == (np.arange(4) == seats[:, None])).all()


@pytest.mark.parametrize('rules', PRESETS)
def test_agents_are_prepared_for_their_rules(rules):
    mixed = make_agent('greedy,epsilon=0.5', rules)
    assert mixed.rules == mixed.agent.rules == Rules.preset(rules)
    agent, field = GreedyAgent(), RandomAgent()
    play_match(agent, field, 2, rules, 1)
    assert agent.rules == field.rules == Rules.preset(rules)
