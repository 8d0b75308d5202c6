"""Action ids, masks, texts and features, the same for every hand and all rules.

These functions check their arguments; the kernels use the numbering of `rlcard_big2.engine.actions` unchecked.
"""

from functools import cache

import numpy as np

from rlcard_big2.cards import FULL_DECK, NUM_CARDS, SUITS, format_cards, parse_cards
from rlcard_big2.engine.actions import ACTION_MASKS, NUM_ACTIONS, PASS_ID, number_of
from rlcard_kit.deck import checked_action
from rlcard_kit.errors import CardError, IllegalActionError

PASS = 'pass'
ACTION_FEATURES = (ACTION_MASKS[:, None] >> np.arange(NUM_CARDS) & 1).astype(np.int8)  # cards by id, [NUM_ACTIONS, 52]

__all__ = [
    'ACTION_FEATURES', 'NUM_ACTIONS', 'PASS_ID', 'action_id', 'action_mask', 'action_text', 'action_texts',
    'parse_action',
]  # fmt: skip


def action_mask(action: int) -> int:
    """Return the 52-bit mask of the cards of an action, 0 for a pass; IllegalActionError for an unknown id."""
    return int(ACTION_MASKS[checked(action)])


def action_id(mask: int) -> int:
    """Return the action id of a mask of cards; IllegalActionError if they do not form a combination."""
    if not 0 <= mask <= FULL_DECK:
        raise CardError(f'{mask!r} is not a mask of cards: expected 0 <= mask < 2**{NUM_CARDS}')
    return _id_of(mask, SUITS)


def _id_of(mask: int, suits: str) -> int:
    action = int(number_of(mask))
    if action < 0:
        raise IllegalActionError(f'{format_cards(mask, suits)} is not a combination under any rules')
    return action


def checked(action: object) -> int:
    """Return an action id as an int; IllegalActionError names the ids that exist."""
    return checked_action(action, NUM_ACTIONS, 'the pass', '3d')


def action_text(action: int, suits: str) -> str:
    """Return the text of an action id: '3d', 'Tc Th' or 'pass'."""
    return action_texts(suits)[checked(action)]


class ActionTexts(dict[int, str]):
    """Texts of action ids in an order of suits, each made on first use."""

    def __init__(self, suits: str) -> None:
        self._suits = suits

    def __missing__(self, action: int) -> str:
        text = format_cards(action_mask(action), self._suits) or PASS
        self[action] = text
        return text


@cache
def action_texts(suits: str) -> ActionTexts:
    """Return the texts of action ids for an order of suits."""
    return ActionTexts(suits)


def parse_action(text: object, suits: str) -> int:
    """Return the action id of a text, cards in any order; CardError or IllegalActionError names the fault."""
    if not isinstance(text, str):
        raise IllegalActionError(f"{text!r} is not a raw action: write text such as '3d', 'Tc Th' or 'pass'")
    if text.strip().lower() == PASS:
        return PASS_ID
    mask = parse_cards(text, suits)
    if mask == 0:
        raise IllegalActionError(f"{text!r} does not name a card: write text such as '3d', 'Tc Th' or 'pass'")
    return _id_of(mask, suits)
