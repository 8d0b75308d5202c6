"""Opponents while training: who decides where, and whose decisions are learned from, in both games."""

from collections import Counter

import numpy as np
import pytest
import torch

import dmc.opponents
from dmc.config import Config
from dmc.inference import Inference, some_positions
from dmc.opponents import ExploringAgent, make_players
from eval.common.processes import start
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import words_of
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import pinning
from rlcard_kit.nets.agents import GreedyValueAgent
from rlcard_kit.nets.layers import can_pack
from rlcard_kit.nets.weights import dump_weights
from rlcard_kit.rng import new_streams
from tests.support.helpers import SMALL_SPEC
from tests.support.training import new_actor, save_network
from training.games import game_of
from training.workers import OPPONENT, TRAINED

SIZES = {'num_actors': 1, 'num_games': 7, 'batch_size': 64, 'ring_size': 4096, 'hidden_size': 16, 'lstm_size': 8}
SMALL = Config.of(**SIZES, exp_temperature=0.0, win_bonus=0.0, learn_forced=True, td_lambda=1.0)
CATCH5 = Config.preset('default', game='catch5', **SIZES, exp_temperature=0.0, learn_forced=True)
CONFIGS = {'big2': SMALL, 'catch5': CATCH5}


def played(config, moves=400):
    """Return the rows of an actor's moves, its turns, and the actor."""
    actor, turns = new_actor(config, Inference(torch.float32)), []
    make_turn = actor.groups[0].table.turn

    def turn():
        made = make_turn()
        copies = Positions(*(array.copy() for array in made.positions))
        turns.append(made._replace(positions=copies, payoffs=made.payoffs.copy()))
        return made

    actor.groups[0].table.turn = turn
    return np.concatenate([actor.play_moves() for _ in range(moves)]), turns, actor


def trained_seats(config, turns):
    """Return the trained seats of every game at each turn, bool [N, 4]: a seat or team, which moves on with each deal.

    In game i's k-th deal it has the number i + k, modulo the number of seats or teams; without an opponent all are.
    """
    groups = len(config.find_game().card.teams) or 4
    deals = np.arange(config.game.num_games)
    alone = deals >= config.game.opponent_share * len(deals) if config.game.opponent != 'self' else deals >= 0
    for turn in turns:
        yield ((np.arange(4) - deals[:, None]) % groups == 0) | alone[:, None]
        deals = deals + turn.done


def returns_of(config, payoffs):
    """Return the returns of four payoffs: they, or the difference of the teams' scores, and the winners' bonus."""
    learned = payoffs if config.game.game == 'big2' else payoffs - np.roll(payoffs, 1)
    wins = learned > 0
    return learned + config.learning.win_bonus * (wins - (0.25 if config.game.game == 'big2' else 0.5))


def slow_targets(episode, returns, td_lambda):
    """Return each decision's target as the sum of its n-step returns, (1 - l) l^(n-1) each, and of the return."""
    targets = []
    for index, (*_, seat, _) in enumerate(episode):
        later = [value for *_, other, value in episode[index + 1 :] if other == seat and value is not None]
        steps = sum((1 - td_lambda) * td_lambda**n * value for n, value in enumerate(later))
        targets.append(steps + td_lambda ** len(later) * returns[seat])
    return targets


@pytest.mark.parametrize(
    ('game', 'changes'),
    [
        ('big2', {}),
        ('big2', {'opponent': 'random', 'win_bonus': 8.0}),
        ('big2', {'opponent': 'greedy', 'td_lambda': 0.0}),
        ('big2', {'td_lambda': 0.7, 'learn_forced': False, 'win_bonus': 8.0}),
        ('big2', {'opponent': 'random', 'td_lambda': 0.7, 'learn_forced': False}),
        ('big2', {'opponent': 'greedy', 'opponent_share': 0.4}),
        ('big2', {'opponent': 'greedy', 'more_opponents': ('random', 'rule')}),
        ('catch5', {'td_lambda': 1.0, 'win_bonus': 4.0}),
        ('catch5', {'opponent': 'pass', 'td_lambda': 0.5}),
        ('catch5', {'opponent': 'rule', 'opponent_share': 0.4}),
    ],
)
def test_the_trained_seats_decisions_are_learned_from_with_their_targets(game, changes):
    config = CONFIGS[game].changed(**changes, exp_epsilon=0.3)
    rows, turns, actor = played(config)
    expected, targets, episodes, won, statistics = [], [], [[] for _ in range(7)], 0, 0
    groups, kinds = len(config.find_game().card.teams), 1 + len(config.game.more_opponents)
    opponents = OPPONENT + np.arange(7) // groups % kinds
    for turn, trained in zip(turns, trained_seats(config, turns), strict=True):
        assert (turn.players == np.where(trained[np.arange(7), turn.seats], TRAINED, opponents)).all()
        statistics += actor.game.count(turn, trained)
        words = words_of(turn.positions.observations)
        values = np.split(actor.network.values(turn.positions), turn.positions.offsets[1:-1])
        for i, seat in enumerate(turn.seats):
            is_choice = len(values[i]) > 1
            if trained[i, seat] and (config.learning.learn_forced or is_choice):
                best = values[i].max() if is_choice else None
                episodes[i].append((words[i].tolist(), turn.moves[i], seat, best))
            if turn.done[i]:
                expected += [[observation, move] for observation, move, *_ in episodes[i]]
                targets += slow_targets(episodes[i], returns_of(config, turn.payoffs[i]), config.learning.td_lambda)
                episodes[i], won = [], won + turn.payoffs[i].max()
    assert len(expected) > 100
    assert [[row['observation'].tolist(), row['action']] for row in rows] == expected
    np.testing.assert_allclose(rows['target'], targets, rtol=1e-4, atol=1e-4)
    counts = actor.link.counts
    assert (counts.games, counts.winners_payoffs) == (sum(turn.done.sum() for turn in turns), won)
    assert (counts.statistics == statistics).all()


def chosen(agent, positions):
    """Return the moves that an agent chooses, int64 [N]."""
    return positions.moves[agent.choose(positions, new_streams(0, len(positions.counts))).indices]


@pytest.mark.parametrize('name', ['greedy', 'rule', 'dmc'])
def test_opponents_play_as_the_named_agent_and_the_trained_seat_its_networks_best_move(tmp_path, name):
    if name == 'dmc':
        save_network(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 5)
        name = f'dmc:{tmp_path}'
    config = SMALL.changed(opponent=name, exp_epsilon=0.0)
    _, turns, actor = played(config, 200)
    agents = GreedyValueAgent(actor.network), game_of('big2').make_agent(name, actor.game.rules)
    same = Counter()
    for turn, seats in zip(turns, trained_seats(config, turns), strict=True):
        trained = seats[np.arange(7), turn.seats]
        own, others = (chosen(agent, turn.positions) for agent in agents)
        assert (turn.moves == np.where(trained, own, others)).all()
        same += Counter((own == others).tolist())
    assert same[False] > 200


def test_an_opponent_that_changes_during_a_run_is_refused_in_all_its_processes(tmp_path, capfd):
    save_network(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 5)
    config = SMALL.changed(opponent=f'dmc:{tmp_path}')
    arguments = config, config.find_game(), ValueNetwork(SMALL_SPEC), int
    for _ in range(2):  # a later run reads what is there
        with pinning():
            make_players(*arguments)
            make_players(*arguments)
            save_network(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 5)
            with pytest.raises(ConfigError, match='safetensors has changed since it was first read'):
                make_players(*arguments)
    with pinning():
        make_players(*arguments)
        save_network(tmp_path, SMALL, ValueNetwork(SMALL_SPEC), 5)
        process = start(make_players, *arguments)
        process.join()
    assert process.exitcode == 1
    assert 'network.safetensors has changed since it was first read' in capfd.readouterr().err


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


@pytest.mark.parametrize('library', ['torch', 'numpy', 'oneDNN'])
def test_a_prior_keeps_its_weights_until_its_games_are_over(monkeypatch, library):
    if library == 'oneDNN' and not can_pack(ValueNetwork(SMALL_SPEC), torch.float32):
        pytest.skip('no operators here')
    monkeypatch.setattr(dmc.opponents, 'PRIOR_GAMES', 20)
    config = SMALL.changed(opponent='prior')
    actor, shown = (
        new_actor(config, Inference(torch.float32, library)),
        some_positions(config.find_game(), config.game.rules),
    )
    for _ in range(8):
        actor.play_moves()
    first, same = (player.evaluate(shown)[0] for player in actor.players)
    assert np.array_equal(first, same)
    actor.link.publish(dump_weights(ValueNetwork(config.spec)))
    actor.refresh()
    trained, prior = actor.players
    while actor.link.counts.games < 20:
        assert np.array_equal(prior.evaluate(shown)[0], first)
        actor.play_moves()
    for _ in range(8):
        actor.play_moves()
    assert np.array_equal(prior.evaluate(shown)[0], trained.evaluate(shown)[0])
    assert not np.allclose(trained.evaluate(shown)[0], first, atol=1e-4)


@pytest.mark.parametrize(
    ('name', 'words'),
    [('gready', 'self, or prior'), ('dmc:nowhere', 'nowhere'), ('python:slow_agents:Slow', 'gave Slow')],
)
def test_opponents_that_cannot_play_are_refused(tmp_path, monkeypatch, name, words):
    (tmp_path / 'slow_agents.py').write_text('class Slow:\n    use_raw = False\n    eval_step = step = None\n')
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=f'opponent.*{words}'):
        make_players(SMALL.changed(opponent=name), SMALL.find_game(), ValueNetwork(SMALL_SPEC), lambda: 0)
