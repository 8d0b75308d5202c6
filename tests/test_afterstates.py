"""What networks are told of a move and of the cards still out, beside a slow description by sets of cards."""

from collections import Counter
from itertools import accumulate

import numpy as np
import pytest
import torch

from rlcard_big2.cards import parse_cards
from rlcard_big2.engine.observation import HAND, OTHERS, PACKED_SIZE
from rlcard_big2.rules import PRESETS
from rlcard_big2.vector import VectorEnv
from training.afterstates import MOVE_LAYOUT, MOVE_SIZE, OUTLOOK_LAYOUT, OUTLOOK_SIZE
from training.features import WIDTHS, action_features, observation_features, owners_of

STRAIGHTS = [[(start + i) % 13 for i in range(5)] for start in (*range(8), 8, 12, 11)]  # 3 to T; then J, 2 and A
KINDS = ['single', 'pair', 'triple', 'two pair', 'four', 'straight', 'flush', 'full house', 'kicker', 'straight flush']


def cards_in(mask):
    return {card for card in range(52) if mask >> card & 1}


def ranks_in(cards):
    return Counter(card // 4 for card in cards)


def straights_in(cards):
    return {i for i, ranks in enumerate(STRAIGHTS) if set(ranks) <= {card // 4 for card in cards}}


def flushes_in(cards):
    return {suit for suit, count in Counter(card % 4 for card in cards).items() if count >= 5}


def kind_of(cards):
    counts = sorted(ranks_in(cards).values())
    by_counts = {
        (): 'pass', (1,): 'single', (2,): 'pair', (3,): 'triple', (2, 2): 'two pair', (4,): 'four',
        (2, 3): 'full house', (1, 4): 'kicker',
    }  # fmt: skip
    if tuple(counts) in by_counts:
        return by_counts[tuple(counts)]
    flush, straight = bool(flushes_in(cards)), bool(straights_in(cards))
    return 'straight flush' if flush and straight else 'flush' if flush else 'straight'


def describe_move(hand, others, move):
    """Return which inputs are 1, by block of MOVE_LAYOUT in its order."""
    kept = hand - move
    out = sorted(kept | others, reverse=True)
    ranks, theirs = ranks_in(kept), ranks_in(others)
    pairs = {rank for rank, count in theirs.items() if count >= 2}
    above = {card for card in others if move and card > max(move)}
    pairs_above = {rank for rank in pairs if move and rank >= max(move) // 4}
    own_pairs = sorted((rank for rank, count in ranks.items() if count >= 2), reverse=True)
    return [
        move,
        {[*KINDS, 'pass'].index(kind_of(move))},
        {min(12, len(above))} if move else set(),
        {min(5, len(pairs_above))} if move else set(),
        {place for place, card in enumerate(out) if card in kept},
        {len(kept) - 1} if kept else set(),
        {len(ranks) - 1} if kept else set(),
        set(ranks),
        set(own_pairs),
        {rank for rank, count in ranks.items() if count >= 3},
        {place + sum(their >= rank for their in pairs) for place, rank in enumerate(own_pairs)},
        straights_in(kept),
        flushes_in(kept),
    ]


def describe_outlook(others):
    ranks = ranks_in(others)
    held = [{rank for rank, count in ranks.items() if count >= least} for least in (2, 3, 4)]
    return [*held, straights_in(others), flushes_in(others)]


def ones(blocks, layout):
    """Return the places of the ones, given those in each block."""
    starts = [0, *accumulate(layout.values())]
    return {start + place for start, block in zip(starts, blocks, strict=False) for place in block}


@pytest.mark.parametrize('rules', PRESETS)
def test_they_are_those_of_the_slow_description(rules):
    env = VectorEnv(30, rules, 7)
    observations, (masks, offsets) = env.new_observations(), env.new_legal()
    payoffs, done = env.new_payoffs(), np.empty(30, np.bool_)
    random = np.random.default_rng(8)
    kinds = set()
    for _ in range(60):
        env.observe(observations)
        legal, owners = masks[: env.legal(masks, offsets)], owners_of(offsets)
        states = observation_features(observations, 'afterstates', torch.float32).numpy()
        moves = action_features(observations, legal, owners, 'afterstates', torch.float32).numpy()
        for i in random.choice(len(legal), 20):
            packed, move = observations[owners[i]], cards_in(legal[i])
            hand, others = cards_in(packed[HAND]), cards_in(packed[OTHERS])
            kinds.add(kind_of(move))
            assert set(np.flatnonzero(moves[i])) == ones(describe_move(hand, others, move), MOVE_LAYOUT)
            more = states[owners[i], WIDTHS['cards'].observation :]
            assert set(np.flatnonzero(more)) == ones(describe_outlook(others), OUTLOOK_LAYOUT)
        env.step(legal[offsets[:-1] + (random.random(30) * np.diff(offsets)).astype(int)], payoffs, done)
    assert kinds >= {'pass', 'single', 'pair', 'straight', 'full house'}


def test_a_hand_that_cannot_lose_is_seen_as_such():
    """The two of spades goes, and the king that is left is the highest card still out."""
    packed = np.zeros((1, PACKED_SIZE), np.int64)
    packed[0, HAND], packed[0, OTHERS] = parse_cards('2s Ks'), parse_cards('Kh 3d 4d')
    move = np.array([parse_cards('2s')])
    features = action_features(packed, move, np.zeros(1, np.int64), 'afterstates', torch.float32)[0]
    blocks = dict(zip(MOVE_LAYOUT, features.split(list(MOVE_LAYOUT.values())), strict=True))
    assert blocks["opponents' cards above its highest, one-hot from 0"].argmax() == 0
    assert blocks['places of the cards kept among all that will be out, the highest first'].nonzero().tolist() == [[0]]
    assert blocks['cards kept, one-hot from 1'].nonzero().tolist() == [[0]]


def test_the_published_inputs_come_first():
    packed = np.zeros((1, PACKED_SIZE), np.int64)
    packed[0, HAND], packed[0, OTHERS] = parse_cards('2s Ks'), parse_cards('Kh 3d 4d')
    masks, owners = np.array([0, parse_cards('Ks')]), np.zeros(2, np.int64)
    for kind, (observation, action) in WIDTHS.items():
        states = observation_features(packed, kind, torch.float32)
        moves = action_features(packed, masks, owners, kind, torch.float32)
        assert (states.shape, moves.shape) == ((1, observation), (2, action))
        assert torch.equal(states[:, :1339], observation_features(packed, 'cards', torch.float32))
        assert torch.equal(moves[:, :52], action_features(packed, masks, owners, 'cards', torch.float32))
    assert WIDTHS['afterstates'] == (1339 + OUTLOOK_SIZE, MOVE_SIZE)
