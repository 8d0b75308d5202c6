"""Opponents while training: who decides where, and whose decisions are learned from."""

import time
from collections import Counter
from contextlib import closing
from copy import deepcopy

import numpy as np
import pytest
import torch

import dmc.opponents
from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference
from dmc.opponents import ExploringAgent, PriorAgent, make_players
from dmc.workers.in_process import LocalLink
from dmc.workers.processes import ProcessWorkers
from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.vector import VectorEnv
from rlcard_kit.dtypes import words_of
from rlcard_kit.errors import ConfigError, IllegalActionError
from rlcard_kit.nets.weights import dump_weights
from rlcard_kit.positions import Decision, Positions
from rlcard_kit.rng import new_streams
from rlcard_kit.table import OPPONENT, TRAINED, Table, seat_trained
from tests.support.helpers import SMALL_SPEC
from training.checkpoint import save_checkpoint

SMALL = Config.of(
    num_actors=1,
    exp_temperature=0.0,
    win_bonus=0.0,
    learn_forced=True,
    td_lambda=1.0,
    num_games=7,
    batch_size=64,
    ring_size=4096,
    hidden_size=16,
    lstm_size=8,
)


pytestmark = pytest.mark.usefixtures('one_thread')


class Spy:
    """Notes every turn of an actor's table; what it notes is its own."""

    def __init__(self, actor):
        self.table = actor.table
        self.turns = []
        self.make_turn, self.table.turn = self.table.turn, self.note

    def note(self):
        turn = self.make_turn()
        positions = Positions(*(array.copy() for array in turn.positions))
        self.turns.append(turn._replace(positions=positions, payoffs=turn.payoffs.copy()))
        return turn


def new_actor(config):
    return Actor(config, 0, LocalLink(config.learned), Inference(torch.float32))


def played(config, moves=400):
    """Return the rows of an actor's moves, the spy's notes of its turns, and its network."""
    actor = new_actor(config)
    spy = Spy(actor)
    rows = np.concatenate([actor.play_moves() for _ in range(moves)])
    return rows, spy.turns, actor.network


def trained_seats(turns):
    """Return the trained seat of every game at each turn: in game i's k-th deal, (i + k) % 4."""
    games = np.arange(SMALL.game.num_games)
    deals = np.zeros(SMALL.game.num_games, np.int64)
    for turn in turns:
        yield (games + deals) % 4
        deals += turn.done


def test_only_the_trained_seats_decisions_are_learned_from():
    rows, turns, _ = played(SMALL.changed(opponent='random'))
    expected, episodes = [], [[] for _ in range(SMALL.game.num_games)]
    for turn, seats in zip(turns, trained_seats(turns), strict=True):
        words = words_of(turn.positions.observations)
        for game in range(SMALL.game.num_games):
            if turn.seats[game] == seats[game]:
                episodes[game].append([words[game].tolist(), turn.moves[game]])
            if turn.done[game]:
                expected += [[*decision, turn.payoffs[game, seats[game]]] for decision in episodes[game]]
                episodes[game] = []
    assert len(expected) > 200
    assert [[row['observation'].tolist(), row['action'], row['target']] for row in rows] == expected


@pytest.mark.parametrize('td_lambda', [0.0, 0.7, 1.0])
@pytest.mark.parametrize('opponent', ['self', 'random'])
def test_targets_mix_the_payoff_with_what_was_expected_on_the_way(opponent, td_lambda):
    config = SMALL.changed(opponent=opponent, td_lambda=td_lambda, exp_epsilon=0.3)
    rows, turns, network = played(config)
    expected, episodes = [], [[] for _ in range(SMALL.game.num_games)]
    for turn, seats in zip(turns, trained_seats(turns), strict=True):
        values = np.split(network.values(turn.positions), turn.positions.offsets[1:-1])
        for game in range(SMALL.game.num_games):
            if opponent == 'self' or turn.seats[game] == seats[game]:
                own = values[game]
                episodes[game].append((turn.seats[game], own.max() if len(own) > 1 else None))
            if turn.done[game]:
                expected += slow_targets(episodes[game], turn.payoffs[game], td_lambda)
                episodes[game] = []
    assert len(expected) > 200
    np.testing.assert_allclose(rows['target'], expected, rtol=1e-4, atol=1e-4)


def slow_targets(episode, payoffs, td_lambda):
    """Return each decision's target as the sum of its n-step returns, (1 - l) l^(n-1) each, and of the payoff."""
    targets = []
    for index, (seat, _) in enumerate(episode):
        later = [value for other, value in episode[index + 1 :] if other == seat and value is not None]
        steps = sum((1 - td_lambda) * td_lambda**n * value for n, value in enumerate(later))
        targets.append(steps + td_lambda ** len(later) * payoffs[seat])
    return targets


def test_forced_moves_are_left_out_where_they_are_not_to_be_learned_from():
    rows, turns, _ = played(SMALL.changed(opponent='greedy', learn_forced=False))
    positions = [turn.positions for turn in turns]
    several = {seen.tobytes() for one in positions for seen in one.observations[one.counts > 1]}
    assert len(rows) > 100
    assert all(row['observation'].tobytes() in several for row in rows)


def test_an_opponent_plays_in_a_share_of_the_games():
    _, turns, _ = played(SMALL.changed(opponent='greedy', opponent_share=0.4), moves=100)
    against = np.arange(SMALL.game.num_games) < 3  # of seven games
    for turn, seats in zip(turns, trained_seats(turns), strict=True):
        assert (turn.players == np.where(against & (turn.seats != seats), OPPONENT, TRAINED)).all()


def test_a_share_of_the_games_without_an_opponent_is_refused():
    with pytest.raises(ConfigError, match=r"opponent_share=0\.4: opponent='self' plays no games"):
        SMALL.changed(opponent_share=0.4)


def test_the_trained_seat_rotates_evenly():
    _, turns, _ = played(SMALL.changed(opponent='greedy'), moves=800)
    ended = Counter(
        int(seat) for turn, seats in zip(turns, trained_seats(turns), strict=True) for seat in seats[turn.done]
    )
    assert set(ended) == {0, 1, 2, 3}
    assert min(ended.values()) > 0.7 * max(ended.values()), ended


def test_without_an_opponent_all_seats_are_learned_from():
    rows, turns, _ = played(SMALL)
    unfinished = sum(len(turns) - 1 - max(np.flatnonzero([turn.done[game] for turn in turns])) for game in range(7))
    assert len(rows) == 7 * len(turns) - unfinished


@pytest.mark.parametrize(('name', 'agent'), [('greedy', GreedyAgent()), ('rule', RuleAgent())])
def test_opponents_play_as_the_named_agent_does(name, agent):
    _, turns, _ = played(SMALL.changed(opponent=name, exp_epsilon=1.0))  # which the trained seat alone follows
    same = Counter()
    for turn, seats in zip(turns, trained_seats(turns), strict=True):
        moves = chosen(agent, turn.positions)
        assert ((turn.players == TRAINED) == (turn.seats == seats)).all()
        for where in (True, False):
            games = (turn.seats == seats) == where
            same[where, 'all'] += games.sum()
            same[where, 'same'] += (turn.moves == moves)[games].sum()
    assert same[False, 'same'] == same[False, 'all'] > 1000
    assert same[True, 'same'] < 0.9 * same[True, 'all']


def chosen(agent, positions):
    """Return the moves that an agent chooses, int64 [N]."""
    return positions.moves[agent.choose(positions, new_streams(0, len(positions.counts))).indices]


def test_the_trained_seat_plays_the_best_move_of_its_network():
    _, turns, network = played(SMALL.changed(opponent='random', exp_epsilon=0.0), moves=200)
    for turn, seats in zip(turns, trained_seats(turns), strict=True):
        moves = chosen(DMCAgent(network), turn.positions)
        assert (turn.moves == moves)[turn.seats == seats].all()


def test_better_moves_are_played_more_often_by_the_temperature(monkeypatch):
    values = np.float32([2.0, 1.0, 2.0, -3.0, 7.0])
    offsets = np.array([0, 4, 5])
    network = ValueNetwork(SMALL_SPEC)
    monkeypatch.setattr(network, 'values', lambda _: values)
    agent = ExploringAgent(network, epsilon=0.0, temperature=2.0)
    positions, random = Positions(new_observations(2), np.empty(5, np.int64), offsets), new_streams(3, 2)
    drawn = np.stack([agent.choose(positions, random).indices for _ in range(20_000)])
    weights = np.exp(values[:4] / 2.0)
    np.testing.assert_allclose(np.bincount(drawn[:, 0]) / len(drawn), weights / weights.sum(), atol=0.015)
    assert (drawn[:, 1] == 4).all()
    assert agent.choose(positions, random).values.tolist() == [2.0, 7.0]


def test_the_winner_is_given_the_bonus_by_all_four_seats():
    rows = {}
    for bonus in (0.0, 8.0):
        torch.manual_seed(0)
        rows[bonus] = played(SMALL.changed(win_bonus=bonus))[0]
    payoffs, returns = rows[0.0]['target'], rows[8.0]['target']
    assert len(payoffs) > 200
    assert (returns - payoffs == np.where(payoffs > 0, 6.0, -2.0)).all()


def test_a_trained_network_can_be_the_opponent(tmp_path):
    network = ValueNetwork(SMALL_SPEC)
    save_checkpoint(tmp_path, SMALL, network, 5)
    config = SMALL.changed(opponent=f'dmc:{tmp_path}', exp_epsilon=1.0)
    _, turns, _ = played(config, moves=50)
    for turn, seats in zip(turns, trained_seats(turns), strict=True):
        moves = chosen(DMCAgent(network), turn.positions)
        assert (turn.moves == moves)[turn.seats != seats].all()


def decide(agent, count=4):
    Table(VectorEnv(count, seed=1), [agent], np.zeros((count, 4), np.int64), new_streams(0, count)[:, None]).turn()


def test_a_prior_keeps_its_weights_until_its_games_are_over():
    network = ValueNetwork(SMALL_SPEC)
    prior = PriorAgent(network, games=5)
    weights = [dump_weights(ValueNetwork(SMALL_SPEC)).copy() for _ in range(2)]
    torch.nn.utils.vector_to_parameters(torch.from_numpy(weights[0].copy()), network.parameters())
    decide(prior)
    assert np.array_equal(dump_weights(prior.network), weights[0]), 'the first copy is that of the first decision'
    torch.nn.utils.vector_to_parameters(torch.from_numpy(weights[1].copy()), network.parameters())
    for games in (0, 2, 2):
        prior.count(games)
        decide(prior)
        assert np.array_equal(dump_weights(prior.network), weights[0])
    prior.count(1)
    decide(prior)
    assert np.array_equal(dump_weights(prior.network), weights[1])


def test_an_actors_prior_counts_its_games(monkeypatch):
    monkeypatch.setattr(dmc.opponents, 'PRIOR_GAMES', 20)
    actor = new_actor(SMALL.changed(opponent='prior'))
    prior = actor.players[OPPONENT]
    for _ in range(8):
        actor.play_moves()
    first = deepcopy(prior.network.state_dict())
    with torch.no_grad():
        actor.network.value.weight.add_(1)
    while actor.link.counts.games < 20:
        assert torch.equal(prior.network.value.weight, first['value.weight'])
        actor.play_moves()
    for _ in range(8):
        actor.play_moves()
    assert torch.equal(prior.network.value.weight, actor.network.value.weight)


@pytest.mark.parametrize('name', ['gready', 'dmc:nowhere', 'dmc', 'Prior'])
def test_an_unknown_opponent_is_refused(name):
    config = SMALL.changed(opponent=name)
    with pytest.raises(ConfigError, match=rf'opponent: .*{name}.*self, or prior'):
        make_players(config, ValueNetwork(SMALL_SPEC))


@pytest.mark.parametrize('name', ['self', 'prior', 'random', 'rule', 'greedy,epsilon=0.1'])
def test_known_opponents_pass(name):
    assert make_players(SMALL.changed(opponent=name), ValueNetwork(SMALL_SPEC))


def test_an_agent_for_one_game_at_a_time_is_refused(tmp_path, monkeypatch):
    (tmp_path / 'slow_agents.py').write_text('class Slow:\n    use_raw = False\n    eval_step = step = None\n')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r'Slow decides for one game at a time.*Agent'):
        make_players(SMALL.changed(opponent='python:slow_agents:Slow'), ValueNetwork(SMALL_SPEC))


class Lost(BatchAgent):
    def choose(self, positions, random):
        return Decision(positions.offsets[1:])


def test_an_opponent_that_chooses_no_legal_move_is_refused():
    players = [*make_players(SMALL.changed(opponent='self'), ValueNetwork(SMALL_SPEC)), Lost()]
    env = VectorEnv(4, 'hkust', seed=1)
    seating = np.full((4, 4), OPPONENT)
    seating[np.arange(4), (env.players + 1) % 4] = TRAINED
    before = env.games.copy()
    with pytest.raises(IllegalActionError, match='not among the legal moves'):
        Table(env, players, seating, new_streams(0, 4)[:, None]).turn()
    assert (env.games == before).all()


def test_actors_make_their_opponents_in_their_own_process():
    config = SMALL.changed(opponent='greedy')
    weights = dump_weights(ValueNetwork(config.spec))
    with closing(ProcessWorkers(config, weights, {'cpu': Inference(torch.float32)})) as workers:
        deadline = time.monotonic() + 60
        while not workers.waiting():
            assert not workers.replace_dead()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert abs(workers.shared.rings['target'][0, 0]) > 0


@pytest.mark.parametrize('opponent', ['self', 'random'])
def test_random_draws_go_on_where_something_was_chosen(opponent):
    table = new_actor(SMALL.changed(opponent=opponent)).table
    for first in (True, False):  # the opening is forced; the replies to it are not
        before = table.random.copy()
        turn = table.turn()
        assert np.array_equal((table.random != before)[:, 0], turn.positions.counts > 1)
        assert first or (table.random != before).sum() > 3


def test_one_seat_of_some_games_is_trained_and_all_seats_of_the_others():
    seats = seat_trained(np.array([True, True, False, True, True, True]), BIG2.teams)
    assert (seats[2] == TRAINED).all()
    assert (seats == OPPONENT).sum() == 5 * 3
    assert (seats == TRAINED).argmax(axis=1)[[0, 1, 3, 4, 5]].tolist() == [0, 1, 3, 0, 1]
