"""Big 2 by brute force: slow, plain, written from the prose of the rules and without the engine.

A hand is a mask (bit = card id). Every subset of one to five cards is looked at.
"""

from functools import cache
from itertools import combinations
from typing import NamedTuple

RANKS = '3456789TJQKA2'
IN_EVERY_ORDER = ['34567', '45678', '56789', '6789T', '789TJ', '89TJQ', '9TJQK']
STRAIGHTS = {  # weakest first
    'T2A': [*IN_EVERY_ORDER, 'TJQKA', '23456', 'A2345'],
    'TA2': [*IN_EVERY_ORDER, 'TJQKA', 'A2345', '23456'],
    '9TA': ['23456', *IN_EVERY_ORDER, 'TJQKA', 'A2345'],
    '9AT': ['23456', *IN_EVERY_ORDER, 'A2345', 'TJQKA'],
    '89T': ['A2345', '23456', *IN_EVERY_ORDER, 'TJQKA'],
    '9TJ': [*IN_EVERY_ORDER, 'TJQKA', 'JQKA2'],
    '9T2': ['A2345', *IN_EVERY_ORDER, 'TJQKA', '23456'],
}
ANY_STRAIGHT = {tuple(sorted(map(RANKS.index, text))) for order in STRAIGHTS.values() for text in order}
PLACES = {
    name: {tuple(sorted(map(RANKS.index, text))): place for place, text in enumerate(order)}
    for name, order in STRAIGHTS.items()
}
FOUR_CARDS = ['two pair', 'four']  # weakest first
FIVE_CARDS = ['straight', 'flush', 'full house', 'four and kicker', 'straight flush']
BOMBS = ['four and kicker', 'straight flush']
SIZES = {'single': 1, 'pair': 2, 'triple': 3, **dict.fromkeys(FOUR_CARDS, 4), **dict.fromkeys(FIVE_CARDS, 5)}

Worth = tuple[str, tuple[int, ...]]  # kind, and what hands of that kind compare by


def cards_of(mask: int) -> tuple[int, ...]:
    """List the card ids of a mask, ascending."""
    return tuple(card for card in range(52) if mask >> card & 1)


def looks_like(cards: tuple[int, ...]) -> str | None:
    """Name what the cards look like under any rules; 'run or suit' stands for five different ranks."""
    ranks = [card // 4 for card in cards]
    distinct = len(set(ranks))
    if distinct == 1:
        return [None, 'single', 'pair', 'triple', 'four'][len(cards)]
    if len(cards) == 4 and distinct == 2:
        return 'two pair' if ranks.count(ranks[0]) == 2 else None
    if len(cards) == 5 and distinct == 2:
        return 'full house' if ranks.count(ranks[0]) in (2, 3) else 'four and kicker'
    if len(cards) == 5 and distinct == 5:
        suited = len({card % 4 for card in cards}) == 1
        return 'run or suit' if suited or tuple(ranks) in ANY_STRAIGHT else None
    return None


@cache
def combinations_in(hand: int) -> list[tuple[int, tuple[int, ...], str]]:
    """List (mask, cards, look) of every combination in a hand that some rules could know."""
    found = []
    for size in range(1, 6):
        for cards in combinations(cards_of(hand), size):
            look = looks_like(cards)
            if look:
                found.append((sum(1 << card for card in cards), cards, look))
    return found


def worth_of(rules, cards: tuple[int, ...], look: str) -> Worth | None:
    """Return what a combination is worth under rules, or None if they do not know it."""
    ranks = [card // 4 for card in cards]
    most = max(ranks, key=ranks.count)
    if look == 'run or suit':
        return _worth_of_five_ranks(rules, cards, tuple(ranks))
    known = {
        'triple': rules.triples,
        'two pair': rules.four_card_hands,
        'four': rules.four_card_hands,
        'four and kicker': rules.four_kickers,
    }
    if not known.get(look, True):
        return None
    by_highest_card = look in ('single', 'pair', 'two pair')
    return look, (max(cards),) if by_highest_card else (most,)


def _worth_of_five_ranks(rules, cards: tuple[int, ...], ranks: tuple[int, ...]) -> Worth | None:
    place = PLACES[rules.straights].get(ranks)
    suit = max(cards) % 4
    suited = all(card % 4 == suit for card in cards)
    if place is not None:
        return 'straight flush' if suited else 'straight', (place, suit)
    if not suited or not rules.flushes:
        return None
    from_the_top = ranks[::-1]
    keys = {'rank': (*from_the_top, suit), 'suit': (suit, from_the_top[0]), 'card': (from_the_top[0], suit)}
    return 'flush', keys[rules.flush_order]


def beats(rules, new: Worth, old: Worth) -> bool:
    """Tell whether one combination may be played on another."""
    kind, old_kind = new[0], old[0]
    if kind == old_kind:
        return new[1] > old[1]
    if rules.bombs and kind in BOMBS:
        return old_kind not in BOMBS or BOMBS.index(kind) > BOMBS.index(old_kind)
    if SIZES[kind] != SIZES[old_kind]:
        return False
    if SIZES[kind] == 4:
        return FOUR_CARDS.index(kind) > FOUR_CARDS.index(old_kind)
    return rules.mixed_kinds and FIVE_CARDS.index(kind) > FIVE_CARDS.index(old_kind)


@cache
def plays_in(rules, hand: int) -> dict[int, Worth]:
    """Return every combination in a hand that the rules know: mask to worth."""
    worths = {mask: worth_of(rules, cards, look) for mask, cards, look in combinations_in(hand)}
    return {mask: worth for mask, worth in worths.items() if worth}


def replies(rules, hand: int, table: int) -> set[int]:
    """Return the masks that a hand may play on a combination on the table, or lead if `table` is 0."""
    plays = plays_in(rules, hand)
    if not table:
        return set(plays)
    old = plays_in(rules, table)[table]
    return {mask for mask, worth in plays.items() if beats(rules, worth, old)}


class Position(NamedTuple):
    """A game between two moves."""

    hands: tuple[int, ...]
    player: int
    table: int = 0  # the hand to beat, 0 with control
    passed: tuple[int, ...] = ()  # seats that passed since the trick began
    passes: int = 0  # since the last hand was played
    opening: bool = True


def deal(hands: list[int]) -> Position:
    """Begin a game; the holder of card 0 opens."""
    return Position(tuple(hands), next(seat for seat in range(4) if hands[seat] & 1))


def legal(rules, position: Position) -> set[int]:
    """Return the legal moves, 0 for a pass; none after the end."""
    if 0 in position.hands:
        return set()
    moves = replies(rules, position.hands[position.player], position.table)
    if position.opening:
        allowed = {'alone': lambda mask: mask == 1, 'holding': lambda mask: mask & 1, 'any': lambda mask: True}
        return {mask for mask in moves if allowed[rules.opening](mask)}
    if rules.final_pass and position.player in position.passed:
        moves = set()
    return moves | {0} if position.table else moves


def after(position: Position, move: int) -> Position:
    """Return the position after a legal move."""
    seat = position.player
    following = (seat + 1) % 4
    if move:
        hands = tuple(hand & ~move if i == seat else hand for i, hand in enumerate(position.hands))
        return Position(hands, following, move, position.passed, 0, False)
    if position.passes == 2:
        return Position(position.hands, following, opening=False)
    return position._replace(player=following, passed=(*position.passed, seat), passes=position.passes + 1)
