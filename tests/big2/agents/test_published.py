"""The published agent.

Tests of the published file itself skip if BIG2_REFERENCE_DATA does not name the folder that holds it.
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
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.vector import VectorEnv
from rlcard_kit.positions import Positions
from rlcard_kit.rng import new_streams
from tests.support.joblib_file import dump, entry
from tests.support.reference_data import reference_file

PUBLISHED = 'charlesworth_ppo_136500.joblib'

# The agent, with parameters that nobody trained.

AGENT_KINDS = [False, True]  # greedy


@cache
def random_parameters():
    random = np.random.default_rng(0)
    return [random.normal(0, (2 / shape[0]) ** 0.5, shape).astype(np.float32) for shape in SHAPES]


def agent(greedy=False, seed=1):
    return PublishedAgent(random_parameters(), greedy, seed)


def play_batches(rules, moves=60, count=50, player=None):
    """Yield what `count` games ask of an agent, move by move, as the arguments of `choose`; `player` plays them."""
    player = player or agent()
    env, random = VectorEnv(count, rules, seed=2), new_streams(3, count)
    observations, (masks, offsets) = env.new_observations(), env.new_legal()
    payoffs, done = env.new_payoffs(), np.empty(count, bool)
    for _ in range(moves):
        env.observe(observations)
        positions = Positions(observations, masks[: env.legal(masks, offsets)], offsets)
        yield positions.select(np.arange(count)), random.copy()
        env.step(positions.moves[player.choose(positions, random).indices], payoffs, done)


def is_known(mask):
    return mask == 0 or strength(tabulate(Rules())[0], mask) > 0


OTHERS = [
    pytest.param(rules, False, marks=pytest.mark.slow) for rules in PRESETS if rules not in ('charlesworth', 'taiwan')
]


@pytest.mark.parametrize(
    ('rules', 'greedy'), [('charlesworth', False), ('charlesworth', True), ('taiwan', False), *OTHERS]
)
def test_choices_are_legal_and_known(rules, greedy):
    unknown = 0
    player = agent(greedy)
    for positions, random in play_batches(rules):
        chosen = player.choose(positions, random).indices
        assert ((positions.offsets[:-1] <= chosen) & (chosen < positions.offsets[1:])).all()
        known = np.array([is_known(mask) for mask in positions.moves.tolist()])
        assert known[chosen].all()
        unknown += (~known).sum()
    assert (unknown > 0) == (rules != 'charlesworth')


def test_unknown_hands_alone_are_all_alike():
    observations = next(play_batches('hkust'))[0].observations[:1]
    masks = np.array([parse_cards('3d 3c 3h 3s 4d'), parse_cards('3d 4d 5d Ah 2c')])
    observations['hand'] = masks[0] | masks[1]
    assert agent().probabilities(Positions(observations, masks, np.array([0, 2]))).tolist() == [0.5, 0.5]


def test_one_legal_move_is_certain():
    for positions, _ in play_batches('taiwan', moves=20):
        probabilities = agent().probabilities(positions)
        firsts = positions.offsets[:-1]
        assert (probabilities[firsts[positions.counts == 1]] == 1).all()
        assert np.allclose(np.add.reduceat(probabilities, firsts), 1)


@pytest.mark.parametrize('rules', PRESETS)
def test_eval_step_tells_what_the_network_thinks(rules):
    """Computed once more, from the views that the package publishes."""
    w1, b1, w2, b2, w3, b3, w4, b4, w5, b5 = (array.astype(float) for array in random_parameters())
    env, player = rlcard.make('big2', config={'seed': 4, 'game_rules': rules}), agent()
    state, seat = env.reset()
    while not env.is_over():
        shared = np.maximum(charlesworth.observation(env) @ w1 + b1, 0)
        logits = np.maximum(shared @ w2 + b2, 0) @ w3 + b3
        hand, weights = env.game.players[seat].hand_mask, {}
        for action, raw in zip(state['legal_actions'], state['raw_legal_actions'], strict=True):
            known = is_known(action_mask(action))
            weights[raw] = np.exp(logits[charlesworth.to_index(action, hand)]) if known else 0.0
        action, info = player.eval_step(state)
        total = sum(weights.values())
        assert info['probs'] == pytest.approx({raw: weight / total for raw, weight in weights.items()}, rel=1e-3)
        value = 5 * (np.maximum(shared @ w4 + b4, 0) @ w5 + b5)[0]
        assert info['value'] == pytest.approx(value, rel=1e-3, abs=1e-3)
        assert type(info['value']) is float
        state, seat = env.step(action)


@pytest.mark.parametrize('rules', PRESETS)
def test_draws_follow_the_probabilities(rules):
    positions, _ = list(play_batches(rules, moves=9))[-1]
    game, draws = positions.counts.argmax(), 20_000
    size = positions.counts[game]
    chosen = agent().choose(positions.select(np.full(draws, game)), new_streams(5, draws)).indices
    expected = agent().probabilities(positions.select(np.array([game])))
    frequency = np.bincount(chosen % size, minlength=size) / draws
    assert size > 5
    assert (np.abs(frequency - expected) <= 5 * (expected * (1 - expected) / draws) ** 0.5).all()


@pytest.mark.parametrize('rules', PRESETS)
def test_greedy_takes_the_likeliest_and_draws_nothing(rules):
    for positions, random in play_batches(rules, moves=20):
        before = random.copy()
        chosen = agent(greedy=True).choose(positions, random).indices
        probabilities = agent().probabilities(positions)
        assert (probabilities[chosen] == np.maximum.reduceat(probabilities, positions.offsets[:-1])).all()
        assert (random == before).all()


@pytest.mark.parametrize('greedy', AGENT_KINDS)
@pytest.mark.parametrize('rules', PRESETS)
def test_batch_equals_one_by_one(rules, greedy):
    player = agent(greedy)
    for positions, random in play_batches(rules, moves=12, count=30):
        together = player.choose(positions, random.copy()).indices
        for i in reversed(range(30)):
            index = player.choose(positions.select(np.array([i])), random[i : i + 1]).indices
            assert index[0] + positions.offsets[i] == together[i]


def test_choices_follow_from_the_streams_alone():
    first, again = (
        [positions.moves for positions, _ in play_batches('charlesworth', player=agent(seed=seed))] for seed in (1, 2)
    )
    assert all(np.array_equal(*pair) for pair in zip(first, again, strict=True))


def test_steps_follow_from_the_seed():
    def play(seed):
        env = rlcard.make('big2', config={'seed': 6})
        player, (state, _), actions = agent(seed=seed), env.reset(), []
        while not env.is_over():
            actions.append(player.step(state))
            state, _ = env.step(actions[-1])
        return actions

    assert play(1) == play(1) != play(2)


def test_inputs_tell_kinds_and_passes_long_past():
    """The network sees what each opponent ever played, and the passes since the hand to beat."""
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
            assert seen[383 + 26 : 412].tolist() == [
                bool(state['raw_obs']['hand_to_beat']) and passes == i for i in range(3)
            ]
            action = player.step(state)
            size = action_mask(action).bit_count()
            sizes[seat].add(size)
            passes = 0 if size else passes + 1
            state, seat = env.step(action)


def test_an_agent_is_loaded_from_a_file(tmp_path):
    parameters, (positions, _) = random_parameters(), next(play_batches('charlesworth'))
    (tmp_path / 'parameters').write_bytes(dump(*map(entry, parameters)))
    loaded = PublishedAgent.load(tmp_path / 'parameters')
    assert np.array_equal(loaded.probabilities(positions), agent().probabilities(positions))


@pytest.mark.parametrize('change', [lambda p: p[:9], lambda p: [*p, p[0]], lambda p: [p[0].T, *p[1:]], lambda p: []])
def test_other_shapes_are_refused(change, tmp_path):
    (tmp_path / 'parameters').write_bytes(dump(*map(entry, change(random_parameters()))))
    with pytest.raises(ParameterFileError, match='412, 512'):
        PublishedAgent.load(tmp_path / 'parameters')


@pytest.mark.parametrize('greedy', AGENT_KINDS)
def test_the_published_network_beats_random_as_measured_on_the_original_program(greedy):
    """Measured there: +13.31 drawing, +13.65 greedy, both ± 0.22."""
    match = play_match(PublishedAgent.load(reference_file(PUBLISHED), greedy), RandomAgent(), 100, seed=1)
    assert abs(match.payoffs.mean() - 13.4) < 1.5
