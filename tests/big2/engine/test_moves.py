"""Legal moves against the brute-force oracle, for every rule about them."""

import random
from dataclasses import replace
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise, product
from math import comb
from typing import Literal, get_args, get_origin

import numpy as np
import pytest

from rlcard_big2.actions import NUM_ACTIONS, PASS_ID, action_id, action_mask
from rlcard_big2.cards import FULL_DECK, mask_of
from rlcard_big2.engine.actions import number_of
from rlcard_big2.engine.batch import list_legal, play_moves, settle_games
from rlcard_big2.engine.big2 import wins, won_from
from rlcard_big2.engine.moves import MOST_LEGAL, count_bombs
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import MOST_IN_MOVE, is_legal, new_games, start
from rlcard_big2.nets.hand_features import can_answer
from rlcard_big2.rules import PRESETS, PRICED, Rules
from rlcard_kit.errors import CardError, IllegalActionError, RulesError
from rlcard_kit.rules import types_of
from tests.support import oracle

KICKERS = Rules(four_kickers=True)
RULE_SETS = {
    **PRESETS,
    **{
        f'all kinds {straights} {flush}': replace(KICKERS, straights=straights, flush_order=flush)
        for straights in oracle.STRAIGHTS
        for flush in ('rank', 'suit', 'card')
    },
    'no triples': Rules(triples=False),
    'no flushes': Rules(flushes=False),
    'no fours': Rules(four_card_hands=False),
    'bombs': replace(Rules.preset('hkust'), bombs=True),
    'bombs and all kinds': replace(KICKERS, bombs=True),
    'bombs and one kind': replace(KICKERS, bombs=True, mixed_kinds=False),
    'bombs and no flushes': replace(KICKERS, bombs=True, flushes=False, straights='89T'),
    'final pass': Rules(final_pass=True),
    'low 2s': replace(KICKERS, straights='T2A', low_twos=True),
    'royal flush': replace(KICKERS, royal_flush=True),
    'four highest': replace(KICKERS, four_highest=True),
    'bombs, four highest': replace(KICKERS, bombs=True, mixed_kinds=False, four_highest=True),
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
        pairs.append((mask_of(deck[: sizes[0]]), mask_of(deck[13 : 13 + sizes[1]])))
    return pairs


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
    masks = np.empty(len(games) * MOST_LEGAL, np.int64)
    offsets = np.empty(len(games) + 1, np.int64)
    list_legal(tabulate(rules), games, masks, offsets)
    return [masks[begin:end].tolist() for begin, end in pairwise(offsets)]


def of_one_hand(rules):
    """Return rules without those in which other hands, or being left with one card, matter."""
    return replace(rules, last_card='free', no_lone_two=False)


def play(rules, games, moves):
    play_moves(tabulate(rules), games, np.array(moves, np.int64))


def some_play(rules, hand, rng):
    """Choose a kind that the hand holds, and one play of it, short of the whole hand."""
    plays = {mask: worth[0] for mask, worth in oracle.plays_in(rules, hand).items() if mask != hand}
    kind = rng.choice(sorted(set(plays.values())))
    return rng.choice([mask for mask in plays if plays[mask] == kind])


def assert_lists(rules, games, expected):
    """Compare the legal moves of each game with sets of masks, and check that their ids ascend."""
    for moves, plays in zip(listed(rules, games), expected, strict=True):
        assert set(moves) == plays
        assert all(number_of(low) < number_of(high) for low, high in pairwise(moves)), 'ids ascend'


def assert_replies(rules, pairs, rng):
    """Compare what the first hands may lead, and what the others may answer; return the leads and the answers."""
    games = games_of(pairs, player=0)
    assert_lists(rules, games, [oracle.replies(rules, first, 0) for first, _ in pairs])
    tables = [some_play(rules, first, rng) for first, _ in pairs]
    play(rules, games, tables)
    answers = [oracle.replies(rules, hand, table) for (_, hand), table in zip(pairs, tables, strict=True)]
    assert_lists(rules, games, [moves | {0} for moves in answers])
    return tables, answers


@pytest.mark.parametrize('name', RULE_SETS)
def test_engine_lists_what_the_oracle_lists(name):
    rules, pairs = of_one_hand(RULE_SETS[name]), pairs_of_hands(300)
    tables, _ = assert_replies(rules, pairs, random.Random(name))
    assert_lists(rules, games_of(pairs, player=1), [oracle.replies(rules, hand, 0) for _, hand in pairs])
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
        tried = {mask_of(rng.sample(cards, rng.randint(1, min(6, len(cards))))) for _ in range(20)}
        tried |= {action_mask(rng.randrange(NUM_ACTIONS)) for _ in range(20)}
        tried |= set(list(oracle.plays_in(rules, hand))[-20:]) | {hand, FULL_DECK, -1}
        assert all(is_legal(table[0], game, move, scratch) for move in moves)
        assert [move for move in tried if is_legal(table[0], game, move, scratch)] == [m for m in tried if m in moves]


CHOICES = {
    **{
        name: get_args(kind) if get_origin(kind) is Literal else (False, True) for name, kind in types_of(Rules).items()
    },
    'players': (2, 3, 4),
    'hand_size': (13, 17, 5),
    'ranks': (13, 8),
    'penalty_thresholds': ((), (2, 3, 4), (3,), (8, 10, 13)),
}
AGAINST = {  # pairs of fields of which some values contradict each other
    *(('places', name) for name in (*PRICED, 'twos_once', 'separate_bonuses')),
    *(('hand_size', name) for name in ('players', 'ranks', 'leftover', 'instant_wins', 'leads')),
    *(('leftover', name) for name in ('players', 'ranks', 'leads')),
    *(('four_kickers', name) for name in ('bombs', 'mixed_kinds', 'four_highest')),
    ('players', 'leads'), ('ranks', 'instant_wins'), ('bombs', 'mixed_kinds'), ('low_twos', 'straights'),
    ('last_card', 'final_pass'), ('twos_once', 'unplayed_twos'),
}  # fmt: skip
WINNING = {'any': [], 'dragon': range(2, 52, 4), 'twos': range(48, 52)}  # hands at the deal


def draw_rules(rng, fixed, tries=500):
    """Draw the other fields, a few of them anew for as long as some contradict each other; None if they always do."""
    drawn = {name: rng.choice(values) for name, values in CHOICES.items()} | fixed
    for _ in range(tries):
        if drawn['places']:
            drawn |= {name: getattr(Rules, name) for name in PRICED if drawn[name] != 'highest'} | fixed
        if drawn['leftover'] == 'opener':
            drawn |= {'players': 3, 'hand_size': 17, 'ranks': 13} | fixed
        try:
            return Rules(**drawn)
        except RulesError:
            redrawn = rng.sample(list(CHOICES), 12)
            drawn |= {name: rng.choice((getattr(Rules, name), rng.choice(CHOICES[name]))) for name in redrawn} | fixed
    return None


def pairwise_rules(rng):
    """Return rules that have every pair of values of two fields between them, and the pairs that contradict."""
    missing = {
        ((one, a), (other, b))
        for one, other in combinations(CHOICES, 2)
        for a, b in product(CHOICES[one], CHOICES[other])
    }
    found, refused = [], set()
    for pair in sorted(missing, key=repr):
        if pair in missing:
            drawn = draw_rules(rng, dict(pair))
            if drawn is None:
                refused.add(pair)
                continue
            others = [draw_rules(rng, dict(pair)) or drawn for _ in range(4)]
            found.append(max(drawn, *others, key=lambda rules: len(missing & pairs_of(rules))))
            missing -= pairs_of(found[-1])
    return found, refused


def pairs_of(rules):
    return {*combinations([(name, getattr(rules, name)) for name in CHOICES], 2)}


def deal(rules, rng):
    """Deal as the rules ask for."""
    size, pack = rules.hand_size, range(52 - 4 * rules.ranks, 52)
    deck = rng.sample(pack, len(pack))
    hands = [deck[start : start + size] for start in range(0, size * rules.players, size)]
    if rules.leftover == 'opener':
        hands[oracle.opener_of(rules, hands)].extend(deck[size * rules.players :])
    return [mask_of(hand) for hand in hands]


def draw_hands(rules, rng, kind):
    """Deal by the rules; thirteen cards each, one hand of them as in WINNING; or a few, the highest among them."""
    if kind == 'any':
        return deal(rules, rng)
    if kind == 'few':
        deck = [rng.randrange(4), 51, *rng.sample(range(4, 51), 14)]
        hands = [deck[seat::4][: rng.randint(1, 4)] for seat in range(4)]
    else:
        rest = rng.sample([card for card in range(52) if card not in WINNING[kind]], 52 - len(WINNING[kind]))
        deck = [*WINNING[kind], *rest]
        hands = [deck[start : start + 13] for start in range(0, 52, 13)]
    return [mask_of(hand) for hand in rng.sample(hands[: rules.players], rules.players)]


def test_random_rules_are_those_of_the_oracle():
    """Every value of each field with every value of each other: leads, answers, whole games, endings and payoffs."""
    rng, events = random.Random(4), set()
    covering, refused = pairwise_rules(rng)
    assert {frozenset(dict(pair)) for pair in refused} == set(map(frozenset, AGAINST))
    assert len(refused) == 38
    for rules in [*covering, *RULE_SETS.values()]:
        pairs = rng.sample(pairs_of_hands(), 10)
        tables, answers = assert_replies(of_one_hand(rules), pairs, rng)
        answered = [can_answer(tabulate(rules)[0], pair[1], table) for pair, table in zip(pairs, tables, strict=True)]
        assert answered == [*map(bool, answers)]
        for kind in (*WINNING, *['few'] * 4):
            events |= follow(rules, draw_hands(rules, rng, kind), rng)
        oracle.plays_in.cache_clear()
    assert events == {'stuck', 'highest single', 'one pays', 'dealt', 'several gain', 'out'}


def follow(rules, hands, rng):
    """Compare a random game by engine and oracle; return the rules that made a difference."""
    games, payoffs, events = new_games(1), np.empty((1, rules.players), np.int64), set()
    start(tabulate(rules)[0], games[0], np.array(hands))
    position, alone = oracle.deal(rules, hands), of_one_hand(rules)
    while moves := listed(rules, games)[0]:
        assert set(moves) == oracle.legal(rules, position), (rules, position)
        assert games['player'][0] == position.player
        if moves == [0] and not position.table:
            events.add('stuck' if position.hands[position.player] else 'out')
        if len(moves) < len(oracle.legal(alone, position)) > 1:
            events.add('highest single')
        move = rng.choice(moves)
        play(rules, games, [move])
        position = oracle.after(position, move)
    settle_games(tabulate(rules), games, payoffs)
    winner, paid = oracle.winner(rules, position), oracle.payoffs(rules, position)
    assert (games['winner'][0], payoffs[0].tolist()) == (winner, paid), (rules, position)
    assert np.flatnonzero(wins(payoffs[0])).tolist() == [winner]
    others = np.array([np.delete(payoffs[0], seat) for seat in range(rules.players)])
    assert won_from(payoffs[0], others).sum(axis=1) == pytest.approx(paid)
    happened = {
        'one pays': 0 in paid and not rules.places,
        'dealt': 0 not in position.hands,
        'several gain': sum(p > 0 for p in paid) > 1,
    }
    return events | {event for event, it_did in happened.items() if it_did}


def test_every_straight_flush_is_a_bomb():
    rules = tabulate(Rules())[0]
    bombs = [count_bombs(rules, mask_of(4 * ((low + i) % 13) + 1 for i in range(5))) for low in range(13)]
    assert sum(bombs) == np.count_nonzero(rules['straight_order'] >= 0)
    assert count_bombs(rules, mask_of(range(20))) == 2
    assert count_bombs(rules, mask_of([0, 4, 8, 12, 17])) == 0


def most_straights(cards):
    """Return the most straights and straight flushes in so many cards, by dynamic programming over A, 2, ... K."""
    four = np.arange(5.0)[:, None, None, None] * np.arange(5)[:, None, None] * np.arange(5)[:, None] * np.arange(5)
    found = 0.0
    for ace, two in product(range(5), repeat=2):
        best = np.full((5, 5, 5, 5, cards + 1), -np.inf)  # by the cards of the last four ranks, and of all
        best[0, 0, ace, two, ace + two] = 0
        for _ in range(11):
            grown = [(best + count * four[..., None]).max(axis=0) for count in range(5)]
            best = np.full(best.shape, -np.inf)
            for count in range(5):
                best[..., count, count:] = grown[count][..., : cards + 1 - count]
        ends = four * ace + four[1] * ace * two  # TJQKA and JQKA2
        found = max(found, (best + ends[..., None]).max())
    return int(found)


def most_by_ranks(cards):
    """Return the sum of the most singles, pairs, triples, two pairs, fours, full houses and kickers in some cards."""
    splits = [split for split in combinations_with_replacement(range(5), 13) if sum(split) == cards]
    counts = np.array(splits)
    pairs, triples, fours = (
        np.array([0, 0, 1, 3, 6])[counts],
        np.array([0, 0, 0, 1, 4])[counts],
        (counts == 4).sum(axis=1),
    )
    all_pairs = pairs.sum(axis=1)
    two_pairs = (all_pairs**2 - (pairs**2).sum(axis=1)) // 2
    full_houses = (triples * (all_pairs[:, None] - pairs)).sum(axis=1)
    kinds = all_pairs, triples.sum(axis=1), two_pairs, fours, full_houses, fours * (cards - 4)
    return cards + sum(int(kind.max()) for kind in kinds)


def test_no_hand_has_more_legal_moves_than_are_allotted():
    suits = (split for split in combinations_with_replacement(range(14), 4) if sum(split) == 26)
    flushes = max(sum(comb(count, 5) for count in split) for split in suits)
    assert most_by_ranks(26) + most_straights(26) + flushes + 1 == MOST_LEGAL


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
            assert action_mask(action_id(mask_of(cards))) == mask_of(cards)
        else:
            with pytest.raises(IllegalActionError, match='not a combination'):
                action_id(mask_of(cards))


@pytest.mark.parametrize('bad', [-1, 1 << 52, FULL_DECK])
def test_action_id_rejects_what_is_no_set_of_cards_to_play(bad):
    with pytest.raises((CardError, IllegalActionError)):
        action_id(bad)
