"""Kinds of players: which of several models each opponent follows, given its last moves."""

import numpy as np
import pytest

from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.registry import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.search.beliefs import Uniform
from rlcard_big2.search.kinds import ALIKE, OTHERS, Kinds, draw_kinds
from rlcard_big2.search.opponent_model import EqualValues, OneMove, OpponentModel
from rlcard_big2.search.posterior import MIN_TEMPERATURE, Posterior
from rlcard_big2.search.zoo import load_small_networks
from rlcard_kit.rng import new_streams
from tests.support.random_games import NEAR, Hashed, positions_of, table_of

RULES = Rules()
MODELS = [OpponentModel(Hashed(), NEAR), OpponentModel(EqualValues(), 1.0), OpponentModel(Hashed(NEAR), NEAR)]


def observed(agents, count=40, turns=16):
    """Return what seats see after some turns of games, given the agents of the seats, and the true hands, [N, 4]."""
    table = table_of(RULES, count, 4, agents, np.arange(4) % len(agents))
    for _ in range(turns):
        table.turn()
    games, viewers = table.env.games, table.env.games['player']
    hands = np.take_along_axis(games['hands'], (viewers[:, None] + np.arange(4)) % 4, axis=1)
    return positions_of(games, RULES).observations, hands


@pytest.fixture(scope='module')
def at_random():
    return observed([make_agent('random')])


def test_a_world_is_as_likely_as_its_kinds_of_table_together(at_random):
    observations, hands = at_random
    found = Kinds(Uniform(RULES), MODELS, tabulate(RULES))
    scores = found.join(found.likelihoods(observations, hands[:, None]))
    single = []
    for network, temperature in MODELS:
        alone = Posterior(Uniform(RULES), network, tabulate(RULES), temperature)
        single.append(alone.likelihoods(observations, hands[:, None])[..., 0])
    single = np.array(single)
    assert (single[1] != single[0]).any()
    shares = np.array([1 - OTHERS, OTHERS / 2, OTHERS / 2])[:, None, None]
    alike = (shares * np.exp(single.sum(axis=3))).sum(axis=0)
    mixed = (shares[..., None] * np.exp(single)).sum(axis=0).prod(axis=2)
    assert scores == pytest.approx(np.log(ALIKE * alike + (1 - ALIKE) * mixed))


@pytest.mark.parametrize('name', ['rule', 'greedy', 'random'])
def test_the_opponents_are_recognised_by_their_moves(name):
    observations, hands = observed([make_agent(name)])
    others = [OpponentModel(OneMove(make_agent(one)), 1.0) for one in ('rule', 'greedy')]
    base = OpponentModel(load_small_networks()[RULES], MIN_TEMPERATURE)
    models = [base, *others, OpponentModel(EqualValues(), 1.0)]
    found = Kinds(Uniform(RULES), models, tabulate(RULES))
    worlds, which = np.tile(hands[:, None], (1, 10, 1)), np.arange(len(hands))
    kinds = found.rounds(observations).kinds(which, worlds, new_streams(1, len(hands)))
    assert (kinds[:, :, 0] == 0).all()
    counts = np.bincount(kinds[:, :, 1:].ravel(), minlength=4)
    assert counts.argmax() == 1 + ('rule', 'greedy', 'random').index(name)
    assert counts.max() > 0.6 * counts.sum()


def test_kinds_are_drawn_by_their_probabilities():
    tables, seats = np.array([0.5, 0.6, 1.0]), np.array([[0.2, 1.0], [0.9, 1.0], [0.5, 1.0]])
    out = np.zeros((1, 40_000, 4), np.int64)
    draw_kinds(np.tile(tables, (1, 40_000, 1)), np.tile(seats, (1, 40_000, 1, 1)), new_streams(2, 1), out)
    assert (out[0, :, 1:] == 1).mean(axis=0) == pytest.approx(
        [0.1 + 0.4 * share for share in (0.8, 0.1, 0.5)], abs=0.01
    )
    assert (out[0, :, 1:] == 0).all(axis=1).mean() == pytest.approx(0.5 + 0.4 * 0.2 * 0.9 * 0.5, abs=0.01)


def test_an_adaptive_search_plays_each_opponent_by_its_kind():
    agent = make_agent('search:big2-dmc,adaptive,worlds=16')
    assert [model.temperature for model in agent.models] == [0, 0, 0, 1]
    assert isinstance(agent.beliefs, Kinds)
    observations, hands = observed([make_agent('greedy')], 2)
    moves, offsets = hands[:, 0] & -hands[:, 0], np.arange(2)
    streams = new_streams(3, 2)
    by_kind = [
        agent.outcomes(observations, offsets, hands, moves, np.full((2, 4), kind), streams.copy()).tolist()
        for kind in (0, 1, 2, 3)
    ]
    assert len({str(one) for one in by_kind}) > 1
    assert isinstance(make_agent('search:big2-dmc,adaptive,worlds=4', 'hong-kong-3').beliefs, Kinds), 'of any size'
