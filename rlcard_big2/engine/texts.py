"""The cards that a seat sees, as text.

It is a second writer beside `cards.format_cards`, since all that a state names is written at each step: one by one that
takes a fifth of the step. Tests hold the two together.
"""

import numpy as np

from rlcard_big2.cards import NUM_CARDS, format_card
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import MOST_CARDS, NUM_PLAYERS, Games
from rlcard_kit.arrays import Int8Array
from rlcard_kit.jit import kernel

BLANK, COMMA = ord(' '), ord(',')
NUM_TEXTS = 3 + NUM_PLAYERS
MOST_LETTERS = 3 * (NUM_CARDS + MOST_CARDS) + NUM_TEXTS  # the table's cards are among those played


def card_names(suits: str) -> Int8Array:
    """Return the text of each card in ASCII, int8 [52, 2]."""
    text = ''.join(format_card(card, suits) for card in range(NUM_CARDS))
    return np.frombuffer(text.encode('ascii'), np.int8).reshape(NUM_CARDS, 2).copy()


@kernel
def write_seen(rules: RuleTables, games: Games, seat: int, names: Int8Array, out: Int8Array) -> int:
    """Write the cards that a seat sees of one game as texts with a comma after each.

    In this order: its own, those that it has not seen, what each seat has played, and the combination to beat.

    Args:
        rules: [1] from `ruleset`.
        games: [1] of GAME.
        seat: of the viewer.
        names: from `card_names`.
        out: int8 [MOST_LETTERS], receives ASCII.

    Returns:
        The number of letters.
    """
    game = games[0]
    a, b, c, d = game.played
    end = _append(game.hands[seat], names, out, 0)
    end = _append(rules[0].pack & ~(a | b | c | d | game.hands[seat]), names, out, end)
    for other in range(rules[0].players):
        end = _append(game.played[other], names, out, end)
    return _append(game.table, names, out, end)


@kernel
def _append(mask: int, names: Int8Array, out: Int8Array, start: int) -> int:
    """Write the text of a mask and a comma; return the index after it."""
    end = start
    while mask != 0:
        card = popcount((mask & -mask) - 1)
        out[end], out[end + 1], out[end + 2] = names[card, 0], names[card, 1], BLANK
        end += 3
        mask &= mask - 1
    end = max(end, start + 1)
    out[end - 1] = COMMA
    return end
