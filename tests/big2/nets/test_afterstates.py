"""Inputs of a move and of the cards still out, compared with a slow description by sets of cards."""

from collections import Counter
from functools import partial
from itertools import accumulate

import numpy as np
import pytest

from rlcard_big2.cards import mask_of, parse_cards
from rlcard_big2.engine.batch import settle_games
from rlcard_big2.engine.moves import MOST_LEGAL, answers
from rlcard_big2.engine.observation import OBSERVATION
from rlcard_big2.engine.ruleset import number_of_rules, strength, tabulate
from rlcard_big2.engine.state import new_games
from rlcard_big2.nets.afterstates import COST_LAYOUT, MOVE_LAYOUT, OUTLOOK_LAYOUT
from rlcard_big2.nets.features import WIDTHS, action_inputs, observation_inputs
from rlcard_big2.nets.hand_features import GENERAL, can_answer, can_beat, fewest_moves
from rlcard_big2.rules import FOUR_PLAYERS, Rules

STRAIGHTS = [[(start + i) % 13 for i in range(5)] for start in (*range(8), 8, 12, 11)]  # 3 to T; then J, 2 and A
RULESETS = [tabulate(rules)[0] for rules in FOUR_PLAYERS.values()]
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


def describe_move(hand, others, move, fewest, can_be_beaten):
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
        {0} if move and not can_be_beaten(mask_of(others), mask_of(move)) else set(),
        {place for place, card in enumerate(out) if card in kept},
        {min(13, len(kept)) - 1} if kept else set(),
        {len(ranks) - 1} if kept else set(),
        {min(13, fewest(mask_of(kept))) - 1} if kept else set(),
        {min(13, sum(card > max(others) for card in kept))} if kept else set(),
        set(ranks),
        set(own_pairs),
        {rank for rank, count in ranks.items() if count >= 3},
        {min(19, place + sum(their >= rank for their in pairs)) for place, rank in enumerate(own_pairs)},
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


def doublings(rules, kept):
    """Return the doublings of what each card of a hand costs, by what a loser pays for it."""
    game, payoffs = new_games(1), np.zeros((1, 4), np.int64)
    game['winner'], game['hands'][0, 0] = 1, kept
    settle_games(rules, game, payoffs)
    return {int(np.log2(-payoffs[0, 0] / kept.bit_count()))}


def moves_of(rules, hand, beat=0):
    out = np.empty(MOST_LEGAL, np.int64)
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


@pytest.mark.parametrize('rules', [None, *FOUR_PLAYERS])
def test_the_fewest_moves_are_those_of_a_search_in_nearly_every_hand(rules):
    hands = random_hands(300, 9, 3) + [parse_cards(hand) for hand in ('9d 9c 9h 9s 3d', '9d 9c 9h 9s 3d 3c 5d')]
    ruleset = GENERAL if rules is None else tabulate(FOUR_PLAYERS[rules])
    known = (RULESETS, {'two pair', 'kicker'}) if rules is None else (ruleset, {'two pair'})
    found, searched = (
        [fewest_moves(ruleset[0], hand) for hand in hands],
        [fewest_by_search(hand, *known) for hand in hands],
    )
    assert all(ours >= best for ours, best in zip(found, searched, strict=True)), 'they are moves that can be played'
    assert sum(ours == best for ours, best in zip(found, searched, strict=True)) >= 295
    assert len(set(searched)) > 3


@pytest.mark.parametrize(
    ('rules', 'hand', 'moves'),
    [(None, '3d', 1), (None, '3d 3c 3h 4d 4c', 1), (None, '3d 4d 5d 6c 7d 9d', 2), (None, '3d 5d 7d 9d Jd Jc Jh', 2),
     (None, '3d 3c 5h 7s', 3), (None, '3d 4d 5d 6d 7d 8c 9c Tc Jc Qc', 2),
     ('hkust', '9d 9c 9h 9s 3d', 1), ('charlesworth', '9d 9c 9h 9s 3d', 2), ('hkust', '9d 9c 9h 9s', 2),
     ('hkust', '3d 4c 5d 6d Ad', 5), ('hong-kong', 'Ad 2c 3d 4d 5d', 1), ('charlesworth', 'Ad 2c 3d 4d 5d', 5),
     ('taiwan', '3d 3c 3h', 2), ('taiwan', '3d 5d 7d 9d Jd', 5), ('hkust', '3d 5d 7d 9d Jd', 1),
     (None, '3d 3c 5d 7d 9d Jd Kd', 2), (None, '3d 3c 3h 4d 4c 4h 6d 8c 9h Jd', 6)],
)  # fmt: skip
def test_the_fewest_moves_of_known_hands(rules, hand, moves):
    ruleset = GENERAL if rules is None else tabulate(FOUR_PLAYERS[rules])
    assert fewest_moves(ruleset[0], parse_cards(hand)) == moves


@pytest.mark.parametrize(('rules', 'most'), [('charlesworth', 0), ('hkust', 0), ('hong-kong', 3), ('taiwan', 3)])
def test_inputs_are_those_of_a_slow_description(rules, most):
    table, random, told, costs = tabulate(FOUR_PLAYERS[rules]), np.random.default_rng(8), Counter(), set()

    def answered(others, move):
        found = bool(moves_of(table[0], others, strength(table[0], move)))
        told[kind_of(cards_in(move)), found] += 1
        return found

    def beaten(others, move):
        return can_beat(others, KINDS.index(kind_of(cards_in(move))) + 1, move)

    for number in range(120):
        held, out = (random.integers(1, 14), random.integers(20, 40)) if number < 117 else (26, 52)
        hand, others = (mask_of(cards.tolist()) for cards in np.split(random.permutation(52)[:out], [held]))
        moves = moves_of(table[0], hand)
        packed, moves = np.zeros(1, OBSERVATION), np.array([*moves[:: 1 + len(moves) // 300], 0])
        packed['hand'], packed['others'], packed['rules'] = hand, others, number_of_rules(FOUR_PLAYERS[rules])
        for name, ruleset, can_be_beaten in (('afterstates', GENERAL, beaten), ('rules', table, answered)):
            inputs = action_inputs(packed, moves, np.zeros(len(moves), np.int64), name)
            for move, found in zip(moves.tolist(), inputs, strict=True):
                sets, kept = (cards_in(hand), cards_in(others), cards_in(move)), hand & ~move
                blocks = describe_move(*sets, partial(fewest_moves, ruleset[0]), can_be_beaten)
                cost = doublings(table, kept) if name == 'rules' and kept else set()
                assert set(np.flatnonzero(found)) == ones([*blocks, cost], MOVE_LAYOUT | COST_LAYOUT)
                costs |= cost
        (states,) = observation_inputs(packed, 'afterstates')
        assert states[: WIDTHS['cards'].observation].tolist() == observation_inputs(packed, 'cards')[0].tolist()
        more = states[WIDTHS['cards'].observation :]
        assert set(np.flatnonzero(more)) == ones(describe_outlook(cards_in(others)), OUTLOOK_LAYOUT)
    assert {(kind, one) for kind in ('single', 'pair', 'straight', 'full house') for one in (True, False)} <= set(told)
    assert max(costs) >= most


@pytest.mark.parametrize('four_highest', [False, True])
def test_four_of_a_kind_answers_straight_flushes_where_it_is_higher(four_highest):
    (rules,) = tabulate(Rules(four_kickers=True, four_highest=four_highest))
    assert can_answer(rules, parse_cards('4d 4c 4h 4s 9d'), parse_cards('Th Jh Qh Kh Ah')) == four_highest


def test_games_by_two_rules_have_the_inputs_of_each():
    packed = np.zeros(3, OBSERVATION)
    packed['hand'] = parse_cards('2d 2c 3d 3c 3h')
    packed['rules'] = [number_of_rules(FOUR_PLAYERS[name]) for name in ('hkust', 'taiwan', 'hkust')]
    owners, moves = np.array([0, 1, 1, 2]), np.array([0, 0, *[parse_cards('3d 3c')] * 2])
    together = action_inputs(packed, moves, owners, 'rules')
    for row, (owner, move) in enumerate(zip(owners, moves, strict=True)):
        alone = action_inputs(packed[owner : owner + 1], np.array([move]), np.zeros(1, np.int64), 'rules')
        assert np.array_equal(together[row], alone[0])
    assert not np.array_equal(together[0], together[1])  # 2s cost double in Taiwan
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
