"""Inputs of a move and of the cards still out, compared with a slow description by sets of cards."""

from collections import Counter
from itertools import accumulate

import numpy as np
import pytest

from rlcard_big2.cards import mask_of, parse_cards
from rlcard_big2.engine.batch import settle_games
from rlcard_big2.engine.moves import MAX_LEGAL, answers
from rlcard_big2.engine.observation import OBSERVATION
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.engine.state import new_games
from rlcard_big2.nets.afterstates import MOVE_LAYOUT, MOVE_SIZE, OUTLOOK_LAYOUT, OUTLOOK_SIZE
from rlcard_big2.nets.features import WIDTHS, action_inputs, observation_inputs
from rlcard_big2.nets.hand_features import GENERAL, can_beat, fewest_moves
from rlcard_big2.rules import PRESETS
from rlcard_big2.vector import VectorEnv
from rlcard_kit.positions import Positions

STRAIGHTS = [[(start + i) % 13 for i in range(5)] for start in (*range(8), 8, 12, 11)]  # 3 to T; then J, 2 and A
PLACES = dict(zip(MOVE_LAYOUT, accumulate(MOVE_LAYOUT.values(), initial=0), strict=False))
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
        {0} if move and not can_beat(mask_of(others), KINDS.index(kind_of(move)) + 1, mask_of(move)) else set(),
        {place for place, card in enumerate(out) if card in kept},
        {len(kept) - 1} if kept else set(),
        {len(ranks) - 1} if kept else set(),
        {fewest_moves(GENERAL[0], mask_of(kept)) - 1} if kept else set(),
        {sum(card > max(others) for card in kept)} if kept else set(),
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
    """Return the indices of the ones, given those in each block."""
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
        positions = Positions(observations, masks[: env.legal(masks, offsets)], offsets)
        legal, owners = positions.moves, positions.owners
        states = observation_inputs(observations, 'afterstates')
        moves = action_inputs(observations, legal, owners, 'afterstates')
        for i in random.choice(len(legal), 20):
            packed, move = observations[owners[i]], cards_in(legal[i])
            hand, others = cards_in(packed['hand']), cards_in(packed['others'])
            kinds.add(kind_of(move))
            assert set(np.flatnonzero(moves[i])) == ones(describe_move(hand, others, move), MOVE_LAYOUT)
            more = states[owners[i], WIDTHS['cards'].observation :]
            assert set(np.flatnonzero(more)) == ones(describe_outlook(others), OUTLOOK_LAYOUT)
        env.step(legal[offsets[:-1] + (random.random(30) * np.diff(offsets)).astype(int)], payoffs, done)
    assert kinds >= {'pass', 'single', 'pair', 'straight', 'full house'}


RULESETS = [tabulate(rules)[0] for rules in PRESETS.values()]


def moves_of(rules, hand, beat=0):
    out = np.empty(MAX_LEGAL, np.int64)
    return out[: answers(rules, hand, beat, out)].tolist()


def random_hands(count, size, seed):
    random = np.random.default_rng(seed)
    return [mask_of(random.permutation(52)[:size].tolist()) for _ in range(count)]


def fewest_by_search(hand, rulesets, unknown):
    """Try every way to play a hand in moves that some rules know, kinds that `fewest_moves` does not know aside."""
    if not hand:
        return 0
    moves = {move for rules in rulesets for move in moves_of(rules, hand)}
    taken = [move for move in moves if move & hand & -hand and kind_of(cards_in(move)) not in unknown]
    return 1 + min(fewest_by_search(hand & ~move, rulesets, unknown) for move in taken)


@pytest.mark.parametrize('rules', [None, *PRESETS])
def test_the_fewest_moves_are_those_of_a_search_in_nearly_every_hand(rules):
    hands = random_hands(300, 9, 3) + [parse_cards(hand) for hand in ('9d 9c 9h 9s 3d', '9d 9c 9h 9s 3d 3c 5d')]
    ruleset = GENERAL if rules is None else tabulate(PRESETS[rules])
    known = (RULESETS, {'two pair', 'kicker'}) if rules is None else (ruleset, {'two pair'})
    found, searched = (
        [fewest_moves(ruleset[0], hand) for hand in hands],
        [fewest_by_search(hand, *known) for hand in hands],
    )
    assert all(ours >= best for ours, best in zip(found, searched, strict=True)), 'they are moves that can be played'
    assert sum(ours == best for ours, best in zip(found, searched, strict=True)) >= 295
    assert len(set(searched)) > 3


@pytest.mark.parametrize(
    ('hand', 'moves'),
    [('3d', 1), ('3d 3c 3h 4d 4c', 1), ('3d 4d 5d 6c 7d 9d', 2), ('3d 5d 7d 9d Jd Jc Jh', 2), ('3d 3c 5h 7s', 3),
     ('3d 4d 5d 6d 7d 8c 9c Tc Jc Qc', 2)],
)  # fmt: skip
def test_the_fewest_moves_of_known_hands(hand, moves):
    assert fewest_moves(GENERAL[0], parse_cards(hand)) == moves


@pytest.mark.parametrize(
    ('rules', 'hand', 'moves'),
    [('hkust', '9d 9c 9h 9s 3d', 1), ('charlesworth', '9d 9c 9h 9s 3d', 2), ('hkust', '9d 9c 9h 9s', 2),
     ('hkust', '3d 4c 5d 6d Ad', 5), ('hong-kong', 'Ad 2c 3d 4d 5d', 1), ('charlesworth', 'Ad 2c 3d 4d 5d', 5),
     ('taiwan', '3d 3c 3h', 2), ('taiwan', '3d 5d 7d 9d Jd', 5), ('hkust', '3d 5d 7d 9d Jd', 1)],
)  # fmt: skip
def test_the_fewest_moves_follow_the_rules(rules, hand, moves):
    assert fewest_moves(tabulate(PRESETS[rules])[0], parse_cards(hand)) == moves


def described(rules, seed):
    """Return a random hand, the opponents' cards, the moves that it may lead, and what they are told by: two inputs."""
    ruleset, random = tabulate(PRESETS[rules]), np.random.default_rng(seed)
    size, most = random.integers(5, 14), random.integers(20, 40)
    hand, others = (mask_of(cards.tolist()) for cards in np.split(random.permutation(52)[:most], [size]))
    packed, moves = np.zeros(1, OBSERVATION), np.array(moves_of(ruleset[0], hand))
    packed['hand'], packed['others'], packed['rules'] = hand, others, PRESETS[rules].number
    inputs = [action_inputs(packed, moves, np.zeros(len(moves), np.int64), name) for name in ('afterstates', 'rules')]
    return hand, others, moves.tolist(), inputs


@pytest.mark.parametrize('rules', PRESETS)
def test_inputs_by_the_rules_tell_what_can_be_answered(rules):
    ruleset, told = tabulate(PRESETS[rules])[0], Counter()
    place = PLACES['no cards that they may hold beat it']
    for seed in range(120):
        _, others, moves, (_, inputs) = described(rules, seed)
        for move, found in zip(moves, inputs, strict=True):
            answered = bool(moves_of(ruleset, others, strength(ruleset, move)))
            assert found[place] == (not answered)
            told[kind_of(cards_in(move)), answered] += 1
    for kind in ('single', 'pair', 'straight', 'full house'):
        assert told[kind, True], kind
        assert told[kind, False], kind


@pytest.mark.parametrize(('rules', 'most'), [('charlesworth', 0), ('hkust', 0), ('hong-kong', 3), ('taiwan', 3)])
def test_inputs_by_the_rules_tell_what_cards_left_cost(rules, most):
    ruleset, costs = tabulate(PRESETS[rules]), set()
    game, payoffs = new_games(1), np.zeros((1, 4), np.int64)
    game['winner'] = 1
    for seed in range(60):
        hand, _, moves, (_, inputs) = described(rules, seed)
        for move, found in zip(moves, inputs, strict=True):
            kept = hand & ~move
            game['hands'][0, 0] = kept
            settle_games(ruleset, game, payoffs)
            cost = [int(np.log2(-payoffs[0, 0] / kept.bit_count()))] if kept else []
            assert np.flatnonzero(found[MOVE_SIZE:]).tolist() == cost
            costs.update(cost)
    assert max(costs) >= most


@pytest.mark.parametrize('rules', PRESETS)
def test_inputs_by_the_rules_are_otherwise_the_same(rules):
    fewest = PLACES['fewest moves that play the cards kept, one-hot from 1']
    changed = {PLACES['no cards that they may hold beat it'], *range(fewest, fewest + 13)}
    for seed in range(20):
        hand, _, moves, (general, inputs) = described(rules, seed)
        assert set(np.flatnonzero((general != inputs[:, :MOVE_SIZE]).any(axis=0)).tolist()) <= changed
        for move, found in zip(moves, inputs, strict=True):
            kept = hand & ~move
            expected = [fewest_moves(tabulate(PRESETS[rules])[0], kept) - 1] if kept else []
            assert np.flatnonzero(found[fewest : fewest + 13]).tolist() == expected


def test_inputs_by_the_rules_refuse_games_by_two_rules():
    packed = np.zeros(2, OBSERVATION)
    packed['rules'] = PRESETS['hkust'].number, PRESETS['taiwan'].number
    with pytest.raises(ValueError, match='by the same rules'):
        action_inputs(packed, np.zeros(2, np.int64), np.arange(2), 'rules')
    assert action_inputs(packed[:0], np.zeros(0, np.int64), np.arange(0), 'rules').shape == (0, WIDTHS['rules'].action)


def test_what_cannot_be_beaten_is_answered_under_no_rules():
    exact = {'single', 'pair', 'triple', 'full house'}
    beaten = Counter()
    for hand, others in zip(random_hands(250, 13, 4), random_hands(250, 13, 5), strict=True):
        others &= ~hand
        for move in moves_of(RULESETS[0], hand):
            size, kind = move.bit_count(), kind_of(cards_in(move))
            replies = [
                reply
                for rules in RULESETS
                if strength(rules, move)
                for reply in moves_of(rules, others, strength(rules, move))
            ]
            answered = any(reply.bit_count() == size for reply in replies)
            found = can_beat(others, KINDS.index(kind) + 1, move)
            assert found or not answered
            assert found == answered or kind not in exact
            beaten[kind, found] += 1
    assert {kind for kind, found in beaten if not found} >= exact | {'straight', 'flush'}


def test_a_hand_that_cannot_lose_is_seen_as_such():
    """The two of spades goes, and the king that is left is the highest card still out."""
    packed = np.zeros(1, OBSERVATION)
    packed['hand'], packed['others'] = parse_cards('2s Ks'), parse_cards('Kh 3d 4d')
    move = np.array([parse_cards('2s')])
    features = action_inputs(packed, move, np.zeros(1, np.int64), 'afterstates')[0]
    blocks = dict(zip(MOVE_LAYOUT, np.split(features, np.cumsum([*MOVE_LAYOUT.values()])[:-1]), strict=True))
    assert blocks["opponents' cards above its highest, one-hot from 0"].argmax() == 0
    assert blocks['positions of the cards kept among all cards then out, highest first'].nonzero()[0].tolist() == [0]
    assert blocks['cards kept, one-hot from 1'].nonzero()[0].tolist() == [0]


def test_the_published_inputs_come_first():
    packed = np.zeros(1, OBSERVATION)
    packed['rules'] = PRESETS['hkust'].number
    packed['hand'], packed['others'] = parse_cards('2s Ks'), parse_cards('Kh 3d 4d')
    masks, owners = np.array([0, parse_cards('Ks')]), np.zeros(2, np.int64)
    for kind, (observation, action) in WIDTHS.items():
        states = observation_inputs(packed, kind)
        moves = action_inputs(packed, masks, owners, kind)
        assert (states.shape, moves.shape) == ((1, observation), (2, action))
        assert np.array_equal(states[:, :1339], observation_inputs(packed, 'cards'))
        assert np.array_equal(moves[:, :52], action_inputs(packed, masks, owners, 'cards'))
    assert WIDTHS['afterstates'] == (1339 + OUTLOOK_SIZE, MOVE_SIZE)
