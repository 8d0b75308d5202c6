"""The published agent.

The test of the published file itself skips if BIG2_REFERENCE_DATA does not name the folder that holds it.
"""

from functools import cache

import numpy as np
import pytest
import rlcard

from rlcard_big2 import action_mask, charlesworth
from rlcard_big2.agents._joblib import ParameterFileError
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.published import SHAPES, PublishedAgent
from rlcard_big2.cards import parse_cards
from rlcard_big2.duplicate import play_match
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_big2.testing import check_agent
from rlcard_kit.agents import Positions
from rlcard_kit.rng import new_streams
from tests.support.joblib_file import dump, entry
from tests.support.positions import random_positions
from tests.support.reference_data import reference_file

PUBLISHED = 'charlesworth_ppo_136500.joblib'


@cache
def random_parameters():
    random = np.random.default_rng(0)
    return [random.normal(0, (2 / shape[0]) ** 0.5, shape).astype(np.float32) for shape in SHAPES]


def agent(greedy=False, seed=1):
    return PublishedAgent(random_parameters(), greedy, seed)


@pytest.mark.parametrize('greedy', [False, True])
def test_it_keeps_to_the_protocol(greedy):
    check_agent(agent(greedy))


def test_unknown_hands_alone_are_all_alike():
    observations = next(random_positions(50, 'hkust', 1)).observations[:1]
    masks = np.array([parse_cards('3d 3c 3h 3s 4d'), parse_cards('3d 4d 5d Ah 2c')])
    observations['hand'] = masks[0] | masks[1]
    assert agent().probabilities(Positions(observations, masks, np.array([0, 2]))).tolist() == [0.5, 0.5]


@pytest.mark.parametrize('rules', FOUR_PLAYERS)
def test_the_likeliest_move_is_greedy_and_the_only_one_is_certain(rules):
    random = new_streams(3, 50)
    for positions in random_positions(50, rules, 20):
        probabilities, firsts = agent().probabilities(positions), positions.offsets[:-1]
        assert (probabilities[firsts[positions.counts == 1]] == 1).all()
        assert np.allclose(np.add.reduceat(probabilities, firsts), 1)
        chosen = agent(greedy=True).choose(positions, random).indices
        assert (probabilities[chosen] == np.maximum.reduceat(probabilities, firsts)).all()
    assert (random == new_streams(3, 50)).all(), 'greedy play draws nothing'


@pytest.mark.parametrize('rules', FOUR_PLAYERS)
def test_eval_step_reports_probabilities_and_the_value(rules):
    """Computed once more, from the views that the package publishes; unknown hands have the probability 0."""
    w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = (array.astype(float) for array in random_parameters())
    env, player, unknown = rlcard.make('big2', config={'seed': 4, 'game_rules': rules}), agent(), 0
    state, seat = env.reset()
    while not env.is_over():
        shared = np.maximum(charlesworth.observation(env) @ w1 + b1, 0)
        logits = np.maximum(shared @ w2 + b2, 0) @ w3 + b3
        hand, weights = env.game.players[seat].hand_mask, {}
        for action, raw in zip(state['legal_actions'], state['raw_legal_actions'], strict=True):
            mask = action_mask(action)
            known = mask == 0 or strength(tabulate(Rules())[0], mask) > 0
            weights[raw] = np.exp(logits[charlesworth.to_index(action, hand)]) if known else 0.0
            unknown += not known
        action, info = player.eval_step(state)
        total = sum(weights.values())
        assert info['probs'] == pytest.approx({raw: weight / total for raw, weight in weights.items()}, rel=1e-3)
        value = 5 * (np.maximum(shared @ w4 + b4, 0) @ w5 + b5)[0]
        assert info['value'] == pytest.approx(value, rel=1e-3, abs=1e-3)
        state, seat = env.step(action)
    assert unknown == 0 or rules != 'charlesworth'


@pytest.mark.parametrize('rules', FOUR_PLAYERS)
def test_draws_follow_the_probabilities(rules):
    *_, positions = random_positions(50, rules, 9)
    game, draws = positions.counts.argmax(), 20_000
    size = positions.counts[game]
    chosen = agent().choose(positions.select(np.full(draws, game)), new_streams(5, draws)).indices
    expected = agent().probabilities(positions.select(np.array([game])))
    frequency = np.bincount(chosen % size, minlength=size) / draws
    assert size > 5
    assert (np.abs(frequency - expected) <= 5 * (expected * (1 - expected) / draws) ** 0.5).all()


def test_steps_follow_from_the_seed():
    state, _ = rlcard.make('big2', config={'seed': 6, 'game_rules': 'hkust'}).reset()
    first, again, other = ([player.step(state) for _ in range(20)] for player in (agent(), agent(), agent(seed=2)))
    assert first == again != other


def test_inputs_show_kinds_and_passes_long_past():
    """The network sees the kinds that each opponent ever played, and the passes since the hand to beat."""
    env, player = rlcard.make('big2', config={'seed': 7}), RandomAgent(8)
    for _ in range(20):
        state, seat = env.reset()
        sizes, passes = [set(), set(), set(), set()], 0
        while not env.is_over():
            seen = charlesworth.observation(env)
            for i in range(3):
                bits = seen[286 + 27 * i + 21 : 286 + 27 * (i + 1)]
                played = sizes[(seat + 1 + i) % 4]
                assert bits[:3].tolist() == [size in played for size in (2, 3, 4)]
                assert bits[3:].any() == (5 in played)
            table = bool(state['raw_obs']['hand_to_beat'])
            assert seen[383 + 26 : 412].tolist() == [table and passes == i for i in range(3)]
            action = player.step(state)
            size = action_mask(action).bit_count()
            sizes[seat].add(size)
            passes = 0 if size else passes + 1
            state, seat = env.step(action)


def test_an_agent_is_loaded_from_a_file(tmp_path):
    (tmp_path / 'parameters').write_bytes(dump(*map(entry, random_parameters())))
    loaded, positions = PublishedAgent.load(tmp_path / 'parameters'), next(random_positions(50, 'charlesworth', 1))
    assert np.array_equal(loaded.probabilities(positions), agent().probabilities(positions))


@pytest.mark.parametrize('change', [lambda p: p[:9], lambda p: [*p, p[0]], lambda p: [p[0].T, *p[1:]], lambda p: []])
def test_other_shapes_are_refused(change, tmp_path):
    (tmp_path / 'parameters').write_bytes(dump(*map(entry, change(random_parameters()))))
    with pytest.raises(ParameterFileError, match='412, 512'):
        PublishedAgent.load(tmp_path / 'parameters')


@pytest.mark.parametrize('greedy', [False, True])
def test_the_published_network_beats_random_as_measured_on_the_original_program(greedy):
    """Measured there: +13.31 drawing, +13.65 greedy, both ± 0.22."""
    match = play_match(PublishedAgent.load(reference_file(PUBLISHED), greedy), RandomAgent(), 100, seed=1)
    assert abs(match.payoffs.mean() - 13.4) < 1.5
