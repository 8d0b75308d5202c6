"""Opponents while training: who decides where, and whose decisions are learned from."""

import time
from collections import Counter
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import torch
from conftest import SMALL_SPEC

from dmc.actor import Actor
from dmc.config import Config
from dmc.fleet.in_turn import LocalLink
from dmc.fleet.processes import ProcessFleet
from dmc.opponents import ExploringAgent, PriorAgent, Seating, check_opponent
from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.errors import ConfigError, IllegalActionError
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.value import ValueNetwork, dump_weights
from rlcard_big2.vector import VectorEnv
from training.checkpoint import save_checkpoint

SMALL = Config(
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


@dataclass
class Ply:
    """What every game showed at one move, and what came of it; arrays over games."""

    players: Any
    observations: Any
    masks: Any
    offsets: Any
    moves: Any
    payoffs: Any = None
    done: Any = None


@dataclass
class Spy:
    """Notes every move of an actor."""

    actor: Actor
    plies: list[Ply] = field(default_factory=list)

    def __post_init__(self):
        self.turn = self.actor.table.turn
        self.actor.table.turn = self.note

    def note(self):
        turn = self.turn()
        seen = (turn.seats, *turn.positions, turn.moves, turn.payoffs, turn.done)
        self.plies.append(Ply(*(array.copy() for array in seen)))
        return turn


def new_actor(config):
    return Actor(config, 0, LocalLink(), torch.float32)


def played(config, moves=400):
    """Return the rows of an actor's moves, the spy's notes of them, and its network."""
    actor = new_actor(config)
    spy = Spy(actor)
    rows = np.concatenate([actor.play_moves() for _ in range(moves)])
    return rows, spy.plies, actor.network


def trained_seats(plies):
    """Return the trained seat of every game at each ply: in game i's k-th deal, (i + k) % 4."""
    games = np.arange(SMALL.num_games)
    deals = np.zeros(SMALL.num_games, np.int64)
    for ply in plies:
        yield (games + deals) % 4
        deals += ply.done


def test_only_the_trained_seats_decisions_are_learned_from():
    rows, plies, _ = played(replace(SMALL, opponent='random'))
    expected, episodes = [], [[] for _ in range(SMALL.num_games)]
    for ply, seats in zip(plies, trained_seats(plies), strict=True):
        for game in range(SMALL.num_games):
            if ply.players[game] == seats[game]:
                episodes[game].append([ply.observations[game].tolist(), ply.moves[game]])
            if ply.done[game]:
                expected += [[*decision, ply.payoffs[game, seats[game]]] for decision in episodes[game]]
                episodes[game] = []
    assert len(expected) > 200
    assert [[row['observation'].tolist(), row['action'], row['target']] for row in rows] == expected


@pytest.mark.parametrize('td_lambda', [0.0, 0.7, 1.0])
@pytest.mark.parametrize('opponent', ['self', 'random'])
def test_targets_mix_the_payoff_with_what_was_expected_on_the_way(opponent, td_lambda):
    config = replace(SMALL, opponent=opponent, td_lambda=td_lambda, exp_epsilon=0.3)
    rows, plies, network = played(config)
    expected, episodes = [], [[] for _ in range(SMALL.num_games)]
    for ply, seats in zip(plies, trained_seats(plies), strict=True):
        values = network.values(ply.observations, ply.masks, ply.offsets)
        for game in range(SMALL.num_games):
            if opponent == 'self' or ply.players[game] == seats[game]:
                own = values[ply.offsets[game] : ply.offsets[game + 1]]
                episodes[game].append((ply.players[game], own.max() if len(own) > 1 else None))
            if ply.done[game]:
                expected += slow_targets(episodes[game], ply.payoffs[game], td_lambda)
                episodes[game] = []
    assert len(expected) > 200
    np.testing.assert_allclose(rows['target'], expected, rtol=1e-4, atol=1e-4)


def slow_targets(episode, payoffs, td_lambda):
    """Return each decision's target as the sum of its n-step returns, (1 - l) l^(n-1) each, and of the payoff."""
    targets = []
    for place, (seat, _) in enumerate(episode):
        later = [value for other, value in episode[place + 1 :] if other == seat and value is not None]
        steps = sum((1 - td_lambda) * td_lambda**n * value for n, value in enumerate(later))
        targets.append(steps + td_lambda ** len(later) * payoffs[seat])
    return targets


def test_forced_moves_are_left_out_where_they_are_not_to_be_learned_from():
    rows, plies, _ = played(replace(SMALL, opponent='greedy', learn_forced=False))
    several = {observation.tobytes() for ply in plies for observation in ply.observations[np.diff(ply.offsets) > 1]}
    assert len(rows) > 100
    assert all(row['observation'].tobytes() in several for row in rows)


def test_the_trained_seat_rotates_evenly():
    _, plies, _ = played(replace(SMALL, opponent='greedy'), moves=800)
    ended = Counter(
        int(seat) for ply, seats in zip(plies, trained_seats(plies), strict=True) for seat in seats[ply.done]
    )
    assert set(ended) == {0, 1, 2, 3}
    assert min(ended.values()) > 0.7 * max(ended.values()), ended


def test_without_an_opponent_all_seats_are_learned_from():
    rows, plies, _ = played(SMALL)
    unfinished = sum(len(plies) - 1 - max(np.flatnonzero([ply.done[game] for ply in plies])) for game in range(7))
    assert len(rows) == 7 * len(plies) - unfinished


@pytest.mark.parametrize(('name', 'agent'), [('greedy', GreedyAgent()), ('rule', RuleAgent())])
def test_opponents_play_as_the_named_agent_does(name, agent):
    _, plies, _ = played(replace(SMALL, opponent=name, exp_epsilon=1.0))  # which the trained seat alone follows
    same = Counter()
    for ply, seats in zip(plies, trained_seats(plies), strict=True):
        places = agent.choose(ply.observations, ply.masks, ply.offsets, new_streams(0, SMALL.num_games))
        for where in (True, False):
            games = (ply.players == seats) == where
            same[where, 'all'] += games.sum()
            same[where, 'same'] += (ply.moves == ply.masks[places])[games].sum()
    assert same[False, 'same'] == same[False, 'all'] > 1000
    assert same[True, 'same'] < 0.9 * same[True, 'all']


def test_the_trained_seat_plays_the_best_move_of_its_network():
    _, plies, network = played(replace(SMALL, opponent='random', exp_epsilon=0.0), moves=200)
    for ply, seats in zip(plies, trained_seats(plies), strict=True):
        places = DMCAgent(network).choose(ply.observations, ply.masks, ply.offsets, new_streams(0, SMALL.num_games))
        games = ply.players == seats
        assert (ply.moves == ply.masks[places])[games].all()


def test_better_moves_are_played_more_often_by_the_temperature(monkeypatch):
    values = np.float32([2.0, 1.0, 2.0, -3.0, 7.0])
    offsets = np.array([0, 4, 5])
    network = ValueNetwork(SMALL_SPEC)
    monkeypatch.setattr(network, 'values', lambda *_: values)
    agent = ExploringAgent(network, epsilon=0.0, temperature=2.0)
    random = new_streams(3, 2)
    drawn = np.stack([agent.choose(np.empty((2, 0)), None, offsets, random) for _ in range(20_000)])
    weights = np.exp(values[:4] / 2.0)
    np.testing.assert_allclose(np.bincount(drawn[:, 0]) / len(drawn), weights / weights.sum(), atol=0.015)
    assert (drawn[:, 1] == 4).all()
    assert agent.expected.tolist() == [2.0, 7.0]


def test_the_winner_is_given_the_bonus_by_all_four_seats():
    rows = {}
    for bonus in (0.0, 8.0):
        torch.manual_seed(0)
        rows[bonus] = played(replace(SMALL, win_bonus=bonus))[0]
    payoffs, returns = rows[0.0]['target'], rows[8.0]['target']
    assert len(payoffs) > 200
    assert (returns - payoffs == np.where(payoffs > 0, 6.0, -2.0)).all()


def test_a_trained_network_can_be_the_opponent(tmp_path):
    network = ValueNetwork(SMALL_SPEC)
    save_checkpoint(tmp_path, SMALL, network, 5)
    config = replace(SMALL, opponent=f'dmc:{tmp_path}', exp_epsilon=1.0)
    check_opponent(config)
    _, plies, _ = played(config, moves=50)
    for ply, seats in zip(plies, trained_seats(plies), strict=True):
        places = DMCAgent(network).choose(ply.observations, ply.masks, ply.offsets, new_streams(0, SMALL.num_games))
        assert (ply.moves == ply.masks[places])[ply.players != seats].all()


def decide(agent, count=4):
    env = VectorEnv(count, seed=1)
    observations, (masks, offsets) = env.new_observations(), env.new_legal()
    env.observe(observations)
    agent.choose(observations, masks[: env.legal(masks, offsets)], offsets, new_streams(0, count))


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


def test_an_actors_prior_counts_its_games():
    actor = new_actor(replace(SMALL, opponent='prior', prior_games=20))
    prior = actor.seating.opponent
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
    config = replace(SMALL, opponent=name)
    with pytest.raises(ConfigError, match=rf'opponent: .*{name}.*self, or prior'):
        check_opponent(config)
    with pytest.raises(ConfigError, match=name):
        Seating(config, ValueNetwork(SMALL_SPEC))


@pytest.mark.parametrize('name', ['self', 'prior', 'random', 'rule', 'greedy,epsilon=0.1'])
def test_known_opponents_pass(name):
    check_opponent(replace(SMALL, opponent=name))


def test_an_agent_for_one_game_at_a_time_is_refused(tmp_path, monkeypatch):
    (tmp_path / 'slow_agents.py').write_text('class Slow:\n    use_raw = False\n    eval_step = step = None\n')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r'Slow decides for one game at a time.*BatchAgent'):
        check_opponent(replace(SMALL, opponent='python:slow_agents:Slow'))


class Lost(BatchAgent):
    def choose(self, observations, masks, offsets, random):
        return offsets[1:]


def test_an_opponent_that_chooses_no_legal_move_is_refused():
    seating = Seating(replace(SMALL, opponent='greedy', num_games=4), ValueNetwork(SMALL_SPEC))
    seating.opponent = Lost()
    env = VectorEnv(4, 'hkust', seed=1)
    observations, (masks, offsets) = env.new_observations(), env.new_legal()
    env.observe(observations)
    count = env.legal(masks, offsets)
    others = (seating.seats + 1) % 4
    with pytest.raises(IllegalActionError, match='Lost chose'):
        seating.choose(others, observations, masks[:count], offsets, new_streams(0, 4))


def test_actors_make_their_opponents_in_their_own_process():
    config = replace(SMALL, opponent='greedy')
    weights = dump_weights(ValueNetwork(config.spec))
    with closing(ProcessFleet(config, weights, {'cpu': torch.float32})) as fleet:
        deadline = time.monotonic() + 60
        while not fleet.waiting():
            assert not fleet.replace_dead()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert abs(fleet.shared.rings['target'][0, 0]) > 0


@pytest.mark.parametrize('opponent', ['self', 'random'])
def test_random_draws_go_on_where_something_was_chosen(opponent):
    seating = Seating(replace(SMALL, opponent=opponent), ValueNetwork(SMALL_SPEC))
    env = VectorEnv(SMALL.num_games, seed=2)
    observations, (masks, offsets), random = env.new_observations(), env.new_legal(), new_streams(0, SMALL.num_games)
    for first in (True, False):  # the opening is forced; the replies to it are not
        env.observe(observations)
        count, before = env.legal(masks, offsets), random.copy()
        places, _ = seating.choose(env.players, observations, masks[:count], offsets, random)
        assert np.array_equal(random != before, np.diff(offsets) > 1)
        assert first or (random != before).sum() > 3
        env.step(masks[places], env.new_payoffs(), np.empty(SMALL.num_games, np.bool_))
