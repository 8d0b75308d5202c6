"""Legal moves against the brute-force oracle, for every rule about them."""

import random
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from rlcard_big2.actions import NUM_ACTIONS, PASS_ID, action_id, action_mask
from rlcard_big2.cards import FULL_DECK
from rlcard_big2.engine.actions import number_of
from rlcard_big2.engine.batch import list_legal, play_moves
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import MOST_IN_MOVE, is_legal, new_games, start
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.errors import CardError, IllegalActionError
from tests.support import oracle

HKUST = Rules.preset('hkust')
KICKERS = Rules(four_kickers=True)
RULE_SETS = {
    **PRESETS,
    **{
        f'hkust {straights} {flush}': replace(HKUST, straights=straights, flush_order=flush)
        for straights in ('T2A', 'TA2', '9TA', '9AT', '89T')
        for flush in ('rank', 'suit')
    },
    **{
        f'all kinds {straights} {flush}': replace(KICKERS, straights=straights, flush_order=flush)
        for straights in oracle.STRAIGHTS
        for flush in ('rank', 'suit', 'card')
    },
    'no triples': Rules(triples=False),
    'no flushes': Rules(flushes=False),
    'no fours': Rules(four_card_hands=False),
    'bombs': replace(HKUST, bombs=True),
    'bombs and all kinds': replace(KICKERS, bombs=True),
    'bombs and one kind': replace(KICKERS, bombs=True, mixed_kinds=False),
    'bombs and no flushes': replace(KICKERS, bombs=True, flushes=False, straights='89T'),
    'final pass': Rules(final_pass=True),
    **{f'opening {opening}': Rules(opening=opening) for opening in ('alone', 'holding', 'any')},
}


@cache
def pairs_of_hands(count=1000):
    """Deal two hands, of 6 to 13 and 1 to 13 cards; two thirds come from few suits or few ranks."""
    rng = random.Random(1)
    decks = [
        lambda: list(range(52)),
        lambda: [card for card in range(52) if card % 4 in suits],
        lambda: [card for card in range(52) if (card // 4 - first) % 13 < 7],
    ]
    pairs = []
    for i in range(count):
        suits, first = rng.sample(range(4), 2), rng.randrange(13)
        deck = rng.sample(cards := decks[i % 3](), len(cards))
        sizes = rng.choice([13, rng.randint(6, 13)]), rng.choice([13, rng.randint(1, 13)])
        pairs.append((mask(deck[: sizes[0]]), mask(deck[13 : 13 + sizes[1]])))
    return pairs


def mask(cards):
    return sum(1 << card for card in cards)


def games_of(pairs, player):
    """Set up games in which seat `player` of the first two has control; the opening is behind them."""
    games = new_games(len(pairs))
    games['winner'] = -1
    games['ply'] = 1
    games['player'] = player
    games['hands'][:, :2] = pairs
    games['hands'][:, 2:] = FULL_DECK  # never empty, so that no game ends
    return games


def listed(rules, games):
    """Return the engine's legal moves of each game, as lists of masks."""
    masks = np.empty(len(games) * MAX_LEGAL, np.int64)
    offsets = np.empty(len(games) + 1, np.int64)
    list_legal(tabulate(rules), games, masks, offsets)
    return [masks[begin:end].tolist() for begin, end in pairwise(offsets)]


def play(rules, games, moves):
    play_moves(tabulate(rules), games, np.array(moves, np.int64))


def some_play(rules, hand, rng):
    """Choose a kind that the hand holds, and one play of it, short of the whole hand."""
    plays = {mask: worth[0] for mask, worth in oracle.plays_in(rules, hand).items() if mask != hand}
    kind = rng.choice(sorted(set(plays.values())))
    return rng.choice([mask for mask in plays if plays[mask] == kind])


def assert_lists(lists, expected):
    for moves, plays in zip(lists, expected, strict=True):
        assert set(moves) == plays
        assert all(number_of(low) < number_of(high) for low, high in pairwise(moves)), 'ids ascend'


@pytest.mark.parametrize('name', RULE_SETS)
def test_engine_lists_what_the_oracle_lists(name):
    rules = RULE_SETS[name]
    pairs = pairs_of_hands()
    games = games_of(pairs, player=0)
    rng = random.Random(name)
    for player in (1, 0):
        games['player'] = player
        assert_lists(listed(rules, games), [oracle.replies(rules, pair[player], 0) for pair in pairs])
    tables = [some_play(rules, first, rng) for first, _ in pairs]
    play(rules, games, tables)
    expected = [oracle.replies(rules, hand, table) | {0} for (_, hand), table in zip(pairs, tables, strict=True)]
    assert_lists(listed(rules, games), expected)
    if name == 'bombs and all kinds':
        assert {oracle.plays_in(rules, table)[table][0] for table in tables} == set(oracle.SIZES)
    oracle.plays_in.cache_clear()


@pytest.mark.parametrize('name', [*PRESETS, 'bombs and all kinds', 'bombs and one kind'])
def test_is_legal_agrees_with_the_list(name):
    rules = RULE_SETS[name]
    rng = random.Random(name)
    pairs = pairs_of_hands()[:150]
    games = games_of(pairs, player=0)
    play(rules, games, [some_play(rules, first, rng) for first, _ in pairs])
    table, scratch = tabulate(rules), np.empty(MOST_IN_MOVE, np.int64)
    for game, moves, (_, hand) in zip(games, listed(rules, games), pairs, strict=True):
        cards = oracle.cards_of(hand)
        tried = {mask(rng.sample(cards, rng.randint(1, min(6, len(cards))))) for _ in range(20)}
        tried |= {action_mask(rng.randrange(NUM_ACTIONS)) for _ in range(20)}
        tried |= set(list(oracle.plays_in(rules, hand))[-20:]) | {hand, FULL_DECK, -1}
        assert all(is_legal(table[0], game, move, scratch) for move in moves)
        assert [move for move in tried if is_legal(table[0], game, move, scratch)] == [m for m in tried if m in moves]


@pytest.mark.parametrize(
    'name', [*PRESETS, *[name for name in RULE_SETS if 'pass' in name or 'opening' in name], 'bombs']
)
def test_whole_games_list_what_the_oracle_lists(name):
    rules = RULE_SETS[name]
    rng = random.Random(name)
    for _ in range(8):
        deck = rng.sample(range(52), 52)
        hands = [mask(deck[13 * seat : 13 * seat + 13]) for seat in range(4)]
        games = new_games(1)
        start(games[0], np.array(hands))
        position = oracle.deal(hands)
        while moves := listed(rules, games)[0]:
            assert set(moves) == oracle.legal(rules, position)
            assert games['player'][0] == position.player
            move = rng.choice(moves)
            play(rules, games, [move])
            position = oracle.after(position, move)
        assert 0 in position.hands
    oracle.plays_in.cache_clear()


def test_catalogue_round_trips_every_id():
    masks = [action_mask(action) for action in range(NUM_ACTIONS)]
    assert NUM_ACTIONS == 23740
    assert len(set(masks)) == NUM_ACTIONS
    assert [action_id(mask) for mask in masks] == list(range(NUM_ACTIONS))
    assert masks[PASS_ID] == 0


def test_catalogue_holds_the_combinations_alone():
    rng = random.Random(2)
    for _ in range(60000):
        cards = tuple(sorted(rng.sample(range(rng.choice([8, 20, 52])), rng.randint(1, 6))))
        if oracle.looks_like(cards):
            assert action_mask(action_id(mask(cards))) == mask(cards)
        else:
            with pytest.raises(IllegalActionError, match='not a combination'):
                action_id(mask(cards))


@pytest.mark.parametrize('bad', [-1, 1 << 52, FULL_DECK])
def test_action_id_rejects_what_is_no_set_of_cards_to_play(bad):
    with pytest.raises((CardError, IllegalActionError)):
        action_id(bad)
