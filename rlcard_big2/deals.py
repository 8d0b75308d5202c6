"""Deals: checks of hands by the rules."""

from collections.abc import Iterable, Sequence

import numpy as np

from rlcard_big2.cards import NUM_CARDS, format_card
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import find_opener
from rlcard_big2.rules import Rules
from rlcard_kit.deck import join_hands
from rlcard_kit.errors import HandsError


def join_deal(hands: Sequence[Iterable[int]], rules: Rules) -> list[int]:
    """Return hands of card ids as masks; HandsError names the fault if they are not a deal under the rules."""
    masks = join_hands(hands, rules.hand_size, rules.players, format_card, lambda given: sizes_of(given, rules))
    if any(mask & ~rules.pack for mask in masks):
        lowest = NUM_CARDS - rules.num_cards
        raise HandsError(f'ranks={rules.ranks}: the pack has the card ids {lowest} to {NUM_CARDS - 1} alone')
    return masks


def sizes_of(masks: Sequence[int], rules: Rules) -> list[int]:
    """Return the number of cards that each hand of a deal must have, given the hands as masks."""
    return rules.hand_sizes(int(find_opener(tabulate(rules)[0], np.array(masks))))
