"""A's advantage over B in groups of games: by hand, by turn and by divergent decision."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from eval.big2.pairs import Divergences, Pairs
from eval.tables import DIFFERENCE, Row, Section
from rlcard_big2.agents.rule import price_hands
from rlcard_big2.duplicate.deals import count_cards
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_kit.arrays import BoolArray, Int64Array
from rlcard_kit.statistics import Estimate, estimate, estimate_ratio

FIFTHS = ('the strongest fifth', 'strong', 'middling', 'weak', 'the weakest fifth')
TURNS = ('opens', 'second', 'third', 'fourth')
LEFT = ((13, 13), (10, 12), (7, 9), (4, 6), (1, 3))  # cards
DIVERGED = ('share', DIFFERENCE, 'part of the whole')


def by_hand(pairs: Pairs) -> Section:
    """Return EV by the strength of the hand dealt, in fifths of all hands; see `price_hands`."""
    prices = price_hands(pairs.rules, pairs.deals)
    edges = np.quantile(prices, np.linspace(0, 1, len(FIFTHS) + 1))
    fifths = np.searchsorted(edges[1:-1], prices, side='right')
    limits = pairwise(f'{edge:.1f}' for edge in edges)
    names = [f'{name}: {low} to {high} turns' for name, (low, high) in zip(FIFTHS, limits, strict=True)]
    return _in_groups('EV by the hand dealt', pairs, fifths, names)


def by_turn(pairs: Pairs) -> Section:
    """Return EV by the order of play."""
    turns = (np.arange(NUM_PLAYERS) - pairs.openers[:, None]) % NUM_PLAYERS
    return _in_groups('EV by turn', pairs, turns, TURNS)


def _in_groups(title: str, pairs: Pairs, groups: Int64Array, names: Sequence[str]) -> Section:
    """Return EV of A and of B and their difference in groups of games, int64 [D, 4], by the groups' names."""
    columns = (*pairs.own.transpose(1, 0, 2), pairs.gains)
    rows = [Row(name, tuple(_mean(column, groups == group) for column in columns)) for group, name in enumerate(names)]
    return Section(title, (*pairs.names[:2], DIFFERENCE), tuple(rows))


def _mean(values: Int64Array, chosen: BoolArray) -> Estimate | None:
    """Estimate the mean of some games, both [D, 4], by deal."""
    if not chosen.any():
        return None
    return estimate_ratio(np.where(chosen, values, 0).sum(axis=1), chosen.sum(axis=1))


def by_cards_left(pairs: Pairs, divergences: Divergences) -> Section:
    """Return divergences by the number of cards in hand."""
    chosen = [(low <= divergences.left) & (divergences.left <= high) for low, high in LEFT]
    names = [f'{low} cards' if low == high else f'{high} to {low} cards' for low, high in LEFT]
    return _of_divergences('divergences by cards left', pairs, divergences, names, chosen)


def by_choice(pairs: Pairs, divergences: Divergences) -> Section:
    """Return divergences by the choices of A and B."""
    one, other = pairs.names[:2]
    own = divergences.movers == divergences.seats
    first, second = count_cards(divergences.moves).T
    both = own & (first > 0) & (second > 0)
    cases = {
        f'{one} passes, {other} plays': own & (first == 0),
        f'{one} plays, {other} passes': own & (second == 0),
        f'both lead, {one} more cards': both & (first > second),
        f'both lead, {one} fewer cards': both & (first < second),
        'both lead as many cards': both & (first == second) & divergences.leads,
        'both beat the table': both & (first == second) & ~divergences.leads,
        'the field drew differently': ~own,
    }
    return _of_divergences('divergences by choice', pairs, divergences, list(cases), list(cases.values()))


def _of_divergences(
    title: str, pairs: Pairs, divergences: Divergences, names: Sequence[str], groups: Sequence[BoolArray]
) -> Section:
    """Return the share of all games in groups of divergences, bool [K], what A gained in them, and the product."""
    rows = [
        Row(name, _diverged(pairs, divergences, group))
        for name, group in zip(names, groups, strict=True)
        if group.any()
    ]
    everything = np.ones(len(divergences.deals), np.bool_)
    return Section(title, DIVERGED, (*rows, Row('all', _diverged(pairs, divergences, everything))))


def _diverged(pairs: Pairs, divergences: Divergences, group: BoolArray) -> tuple[Estimate | None, ...]:
    count = len(pairs.deals)
    games = np.bincount(divergences.deals[group], minlength=count)
    gains = np.bincount(divergences.deals[group], divergences.gains[group], count)
    mean = estimate_ratio(gains, games) if games.any() else None
    return estimate(games / NUM_PLAYERS), mean, estimate(gains / NUM_PLAYERS)
