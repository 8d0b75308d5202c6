"""Groups of games of Big 2 in which two agents are compared: by hand, by turn and by divergent decision."""

import numpy as np

from eval.pairs import FIFTHS, Divergences, Grouping, Pairs, by_case, by_fifth
from rlcard_big2.agents.rule import price_hands
from rlcard_big2.duplicate.deals import count_cards
from rlcard_big2.engine.big2 import big2_for
from rlcard_big2.rules import Rules
from rlcard_kit.vector_env import VectorEnv

TURNS = ('opens', 'second', 'third', 'fourth')
PARTS = 4  # of a hand that is no longer whole


def by_hand(pairs: Pairs) -> Grouping:
    """Group games by the strength of the hand dealt, see `price_hands`."""
    prices = price_hands(pairs.rules, pairs.deals)[:, pairs.seats]
    return by_fifth('the hand dealt', prices, 'turns', FIFTHS)


def by_turn(pairs: Pairs) -> Grouping:
    """Group games by the order of play."""
    players = pairs.rules.players
    openers = VectorEnv(big2_for(pairs.rules), pairs.rules, pairs.deals).players
    return Grouping('turn', TURNS[:players], (pairs.seats - openers[:, None]) % players)


def by_cards_left(pairs: Pairs, divergences: Divergences) -> Grouping:
    """Group divergences by the number of cards that A and B held."""
    held = divergences.states['hands'][np.arange(len(divergences.deals)), pairs.seats[divergences.seatings]]
    left = count_cards(held)
    cases = {
        f'{low}' if low == high else f'{high} to {low}': (low <= left) & (left <= high)
        for low, high in _parts(pairs.rules)
    }
    return by_case('cards left', cases)


def _parts(rules: Rules) -> list[tuple[int, int]]:
    """Return the least and the most cards of a whole hand, and of four parts of its course."""
    parts = [part for part in np.array_split(np.arange(1, rules.hand_size), PARTS) if part.size]
    return [(rules.hand_size, rules.most_cards), *((int(part[0]), int(part[-1])) for part in reversed(parts))]


def by_choice(pairs: Pairs, divergences: Divergences) -> Grouping:
    """Group divergences by the choices of A and B."""
    one, other = pairs.names[:2]
    is_own, leads = divergences.is_own, divergences.states['table'] == 0
    first, second = count_cards(divergences.moves).T
    both = is_own & (first > 0) & (second > 0)
    lead = both & leads
    cases = {
        f'{one} passes, {other} plays': is_own & (first == 0),
        f'{one} plays, {other} passes': is_own & (second == 0),
        f'both lead, {one} more cards': lead & (first > second),
        f'both lead, {one} fewer cards': lead & (first < second),
        'both lead as many cards': lead & (first == second),
        'both beat the table': both & ~leads,
        'the field drew differently': ~is_own,
    }
    return by_case('choice', cases)
