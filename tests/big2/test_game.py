"""Whole games: conservation, payoffs, steps back, and games in lock step."""

from dataclasses import replace

import numpy as np
import pytest
import rlcard

from rlcard_big2 import Rules, action_id, action_mask
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.cards import parse_cards
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.batch import play_moves, settle_games, unpack_observations
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import new_games, start
from rlcard_big2.rules import PRESETS
from rlcard_big2.vector import VectorEnv
from rlcard_kit import vector_env
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table


def bits(masks):
    """Unpack masks [...] to zeros and ones [..., 52]."""
    as_bytes = np.ascontiguousarray(masks, '<i8')[..., None].view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, bitorder='little')[..., :52].astype(np.int64)


def expected_payoffs(rules, hands, winner):
    """Settle games by their last hands [N, 4, 52] for the settings that presets have."""
    left = hands.sum(axis=2)
    factor = 1 + sum(left >= threshold for threshold in rules.penalty_thresholds)
    if rules.unplayed_twos:
        factor = factor * 2 ** hands[:, :, 48:].sum(axis=2)
    payoffs = -left * factor
    payoffs[np.arange(len(left)), winner] -= payoffs.sum(axis=1)
    return payoffs


@pytest.mark.parametrize('name', PRESETS)
def test_random_games_conserve_cards_and_points(name):
    rules, count = PRESETS[name], 20_000
    env = vector_env.VectorEnv(BIG2, rules, deals_from_seed(5, count))
    table = Table(env, [RandomAgent()], np.zeros((count, 4), np.int64), new_streams(6, count).reshape(count, 1))
    while not env.is_over:
        payoffs = table.turn().payoffs
    hands, played = bits(env.games['hands']), bits(env.games['played'])
    assert ((hands + played).sum(axis=1) == 1).all(), 'each card is in one hand or one pile'
    assert ((hands + played).sum(axis=2) == 13).all()
    assert ((hands.sum(axis=2) == 0).sum(axis=1) == 1).all()
    assert (hands.sum(axis=2).argmin(axis=1) == env.games['winner']).all()
    assert (payoffs == expected_payoffs(rules, hands, env.games['winner'])).all()
    assert (payoffs.sum(axis=1) == 0).all()


def settled(rules, hands, last_move):
    """Let player 0 play a last hand while the others hold hands, all in text; return the payoffs."""
    masks = np.array([parse_cards(hand, rules.suits) for hand in (last_move, *hands)])
    games, payoffs = new_games(1), np.empty((1, 4), np.int64)
    start(games[0], masks)
    games['player'] = 0
    games['ply'] = 1
    play_moves(tabulate(rules), games, masks[:1])
    settle_games(tabulate(rules), games, payoffs)
    return payoffs[0].tolist()


SEVEN, EIGHT = '3d 4c 5h 6s 7d 8c 9h', '3c 4h 5s 6d 7c 8h 9s Td'
TEN, THIRTEEN = f'{EIGHT} Jc Qh', f'{EIGHT} Jc Qh Ks Ad 2c'
THREE = Rules(penalty_thresholds=(8, 10, 13))
TWOS = Rules(unplayed_twos=True)
BOMBS = Rules(unplayed_bombs=True)
FINAL = Rules(final_play=True, four_kickers=True)


@pytest.mark.parametrize(
    ('rules', 'hands', 'last_move', 'losses'),
    [
        (PRESETS['charlesworth'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 3, 10)),
        (PRESETS['hkust'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 3, 10)),
        (PRESETS['hong-kong'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 12, 30)),
        (PRESETS['taiwan'], (SEVEN, '2c 2h 4d', TEN), '2d', (7, 12, 10)),
        (THREE, (SEVEN, EIGHT, TEN), 'Ah', (7, 16, 30)),
        (THREE, ('3d', TEN, THIRTEEN), 'Ah', (1, 30, 52)),
        (Rules(penalty_thresholds=(10,)), (SEVEN, EIGHT, TEN), 'Ah', (7, 8, 20)),
        (TWOS, ('2d 3d', '2c 2h 4d', '5d'), 'Ah', (4, 12, 1)),
        (replace(TWOS, penalty_thresholds=(3,)), ('2d 3d', '2c 2h 4d', '5d'), 'Ah', (4, 24, 1)),
        (BOMBS, ('3d 3c 3h 3s 4d', '3d 3c 3h 4s', '5d 6d 7d 8d 9d Tc'), 'Ah', (10, 4, 12)),
        (BOMBS, ('5d 6d 7d 8d 9c', '5d 6d 7d 8d Td', '3c 4c 5c Ac 2c'), 'Ah', (5, 5, 5)),
        (BOMBS, ('Jd Qd Kd Ad 2d', '2d 2c 2h 2s', '4c'), 'Ah', (10, 8, 1)),
        (replace(BOMBS, straights='T2A'), ('Jd Qd Kd Ad 2d', '3c 4c 5c Ac 2c', '4c'), 'Ah', (5, 10, 1)),
        (replace(BOMBS, unplayed_twos=True), ('2d 2c 2h 2s', '2d 3d', '4c'), 'Ah', (128, 4, 1)),
        (replace(BOMBS, penalty_thresholds=(4,)), ('3d 3c 3h 3s', '3d', '4c'), 'Ah', (16, 1, 1)),
        (FINAL, ('3d', '3c 4c', '5h'), 'Ah', (1, 2, 1)),
        (FINAL, ('3d', '3c 4c', '5h'), '2d', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), 'Ad Ac 2c 2h', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), 'Jd Qd Kd Ad 2c', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 6c 6h 6s', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 6c 6h 6s 7d', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 7d 8d 9d Td', (2, 4, 2)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 7d 8d 9d Tc', (1, 2, 1)),
        (FINAL, ('3d', '3c 4c', '5h'), '6d 6c 6h 7c 7d', (1, 2, 1)),
        (replace(FINAL, unplayed_twos=True), ('3d 2c', '3c 4c', '5h'), '2d', (8, 4, 2)),
    ],
)
def test_losers_pay(rules, hands, last_move, losses):
    assert settled(rules, hands, last_move) == [sum(losses), *(-loss for loss in losses)]


@pytest.mark.parametrize('name', PRESETS)
def test_lock_step_plays_the_games_of_the_environment(name):
    rng, vector = np.random.default_rng(3), VectorEnv(3, name, seed=8)
    envs = [rlcard.make('big2', config={'game_rules': name}) for _ in range(3)]
    payoffs, done, seen, ended = vector.new_payoffs(), np.ones(3, np.bool_), np.empty((3, 1339), np.int8), 0
    for _ in range(250):
        for i in np.flatnonzero(done):
            envs[i].reset(hands=[np.flatnonzero(hand) for hand in bits(vector.games['hands'][i])])
        positions = vector.positions()
        unpack_observations(positions.observations, seen)
        legal = np.split(positions.moves, positions.offsets[1:-1])
        for i, env in enumerate(envs):
            state = env.get_state(vector.players[i])
            assert legal[i].tolist() == [action_mask(action) for action in state['legal_actions']]
            assert (seen[i] == state['obs']).all()
        moves = np.array([rng.choice(masks) for masks in legal])
        vector.step(moves, payoffs, done)
        for i, env in enumerate(envs):
            env.step(action_id(int(moves[i])))
            assert done[i] == env.is_over()
            assert (payoffs[i] == env.get_payoffs()).all()
        ended += int(done.sum())
    assert ended > 6
