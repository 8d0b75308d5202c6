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
    'T': [*IN_EVERY_ORDER, 'TJQKA'],
}
ANY_STRAIGHT = {tuple(sorted(map(RANKS.index, text))) for order in STRAIGHTS.values() for text in order}
PLACES = {
    name: {tuple(sorted(map(RANKS.index, text))): place for place, text in enumerate(order)}
    for name, order in STRAIGHTS.items()
}
ROYAL, WHEEL = (tuple(sorted(map(RANKS.index, text))) for text in ('TJQKA', 'A2345'))
SIXES = {WHEEL: RANKS.index('5'), tuple(sorted(map(RANKS.index, '23456'))): RANKS.index('6')}  # the last rank
FACES = [3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 1, 2]
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
        if rules.low_twos and ranks in SIXES:
            suit = next(card % 4 for card in cards if card // 4 == SIXES[ranks])
        if rules.royal_flush and suited and ranks == ROYAL:
            place = 99
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
    if rules.bombs and kind in BOMBS and old_kind not in BOMBS:
        return True
    if {kind, old_kind} == set(BOMBS) and (rules.bombs or rules.mixed_kinds):
        return (kind == 'four and kicker') == rules.four_highest
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
    dealt: tuple[int, ...]  # the hands at the deal
    opener: int
    table: int = 0  # the hand to beat, 0 with control
    beaten: int = 0  # the hand that it has beaten, 0 if it was led
    passed: tuple[int, ...] = ()  # seats that passed since the trick began
    passes: int = 0  # since the last hand was played
    opening: bool = True
    out: tuple[int, ...] = ()  # seats without cards, in the order in which they played their last ones


def opener_of(rules, hands) -> int:
    """Return the seat that leads first, given the cards by seat."""
    return int(rules.leads) if rules.leads in '0123' else min(range(len(hands)), key=lambda seat: min(hands[seat]))


def deal(rules, hands: list[int]) -> Position:
    """Begin a game."""
    opener = opener_of(rules, [*map(cards_of, hands)])
    return Position(tuple(hands), opener, tuple(hands), opener)


def winner(rules, position: Position) -> int | None:
    """Return the seat that has won, if any."""
    if rules.places:
        return position.out[0] if len(position.out) == rules.players - 1 else None
    if 0 in position.hands:
        return position.hands.index(0)
    if position.opening:
        return None
    in_order = [(position.opener + i) % rules.players for i in range(rules.players)]
    return next((seat for seat in in_order if wins_by_deal(rules, position.dealt[seat])), None)


def wins_by_deal(rules, hand: int) -> bool:
    """Whether a hand at the deal is one that wins."""
    ranks = [card // 4 for card in cards_of(hand)]
    dragon, twos = set(ranks) == set(range(13)), ranks.count(12) == 4
    return {'none': False, 'dragon': dragon, 'twos': twos, 'both': dragon or twos}[rules.instant_wins]


def legal(rules, position: Position) -> set[int]:
    """Return the legal moves, 0 for a pass; none after the end."""
    if winner(rules, position) is not None:
        return set()
    hand = position.hands[position.player]
    if not hand or (rules.no_lone_two and hand == 1 << 51):
        return {0}
    moves = replies(rules, hand, position.table)
    if position.opening:
        first = 1 << min(min(cards_of(hand)) for hand in position.dealt)
        allowed = {'alone': lambda mask: mask == first, 'holding': lambda mask: mask & first, 'any': lambda mask: True}
        moves = {mask for mask in moves if allowed['any' if rules.leads in '0123' else rules.opening](mask)}
    waiting = {*(position.passed if rules.final_pass else ()), *position.out}
    if position.player in waiting:
        moves = set()
    others = [(position.player + i) % rules.players for i in range(1, rules.players)]
    following = [cards_of(position.hands[seat]) for seat in others if seat not in waiting]
    if rules.last_card == 'highest' and following and len(following[0]) == 1:
        singles = {mask for mask in moves if len(cards_of(mask)) == 1}
        moves -= singles - {max(singles, default=0)}
    return moves | {0} if position.table else moves


def after(position: Position, move: int) -> Position:
    """Return the position after a legal move."""
    seat = position.player
    following = (seat + 1) % len(position.hands)
    if move:
        hands = tuple(hand & ~move if i == seat else hand for i, hand in enumerate(position.hands))
        out = position.out if hands[seat] else (*position.out, seat)
        return position._replace(
            hands=hands, player=following, table=move, beaten=position.table, passes=0, opening=False, out=out
        )
    if not position.table:  # nothing else was legal
        return position._replace(player=following)
    if position.passes == len(position.hands) - 2:
        return position._replace(player=following, table=0, beaten=0, passed=(), passes=0)
    return position._replace(player=following, passed=(*position.passed, seat), passes=position.passes + 1)


def payoffs(rules, position: Position) -> list[int]:
    """Settle a game that has ended."""
    first = winner(rules, position)
    if rules.places:
        order = sorted(range(rules.players), key=lambda seat: (*position.out, seat).index(seat))
        return [rules.players - 1 - 2 * order.index(seat) for seat in range(rules.players)]
    went_out = not position.hands[first]
    left = position.hands if went_out else position.dealt
    reasons = reasons_of_last_play(rules, position.table) if went_out else 0
    lost = [0 if seat == first else penalty(rules, left[seat], reasons) for seat in range(rules.players)]
    before = (first - 1) % rules.players
    single = went_out and len(cards_of(position.table)) == 1 and position.beaten
    if rules.last_card == 'pays' and single and max(cards_of(left[before])) > max(cards_of(position.beaten)):
        lost = [sum(lost) if seat == before else 0 for seat in range(rules.players)]
    if rules.settlement == 'pairs':
        return [sum(other - own for other in lost) for own in lost]
    return [sum(lost) if seat == first else -lost[seat] for seat in range(rules.players)]


def penalty(rules, hand: int, reasons: int) -> int:
    """Return what a hand left costs, given how many reasons to double the last play has."""
    cards = cards_of(hand)
    ranks = [card // 4 for card in cards]
    value = sum(FACES[rank] for rank in ranks) if rules.face_values else len(cards)
    factor = 1 + sum(len(cards) >= threshold for threshold in rules.penalty_thresholds)
    if rules.unplayed_twos:
        reasons += min(1, ranks.count(12)) if rules.twos_once else ranks.count(12)
    if rules.unplayed_bombs:
        fours = any(ranks.count(rank) == 4 for rank in ranks)
        suited = [{card // 4 for card in cards if card % 4 == suit} for suit in range(4)]
        flushes = any(set(straight) <= own for straight in PLACES[rules.straights] for own in suited)
        reasons += fours + flushes if rules.separate_bonuses else fours or flushes
    return value * (factor + reasons if rules.added_factors else factor * 2**reasons)


def reasons_of_last_play(rules, move: int) -> int:
    """Return how many reasons to double all penalties the winner's last play has."""
    kind = plays_in(rules, move)[move][0]
    ranks = [card // 4 for card in cards_of(move)]
    bomb, two = kind in ('four', *BOMBS), 12 in ranks
    if not rules.final_play:
        return 0
    if not rules.separate_bonuses:
        return int(bomb or two)
    if kind in ('full house', 'four and kicker'):
        two = ranks.count(12) > 2
    if kind in ('straight', 'straight flush') and tuple(ranks) == WHEEL:
        two = False
    return bomb + two
