"""Games as pictures: an SVG without fonts, scripts or files from elsewhere, for notebooks and pages."""

from collections.abc import Iterator, Mapping
from typing import Any

from rlcard_catch5.cards import format_cards
from rlcard_catch5.engine.state import Games
from rlcard_catch5.notation import Trace, bid_text, end_lines, is_to_move, public_state, table_lines
from rlcard_catch5.rules import Rules
from rlcard_kit.drawing import PALE, ROW, WIDTH, draw_cards, draw_seat, draw_text, picture

LINE = 20  # height of a line of text
IN_TRICK = WIDTH - 60  # where the card lies that a seat has played to the trick


def draw(games: Games, rules: Rules, trace: Trace) -> str:
    """Draw a game, [1] of GAME: a row for each seat with its hand and its card in the trick, then points and tricks."""
    state = public_state(games, rules, trace)
    first, *lines = [*table_lines(state), *end_lines(games, rules)]
    hands = games['hands'][0].tolist()
    top = len(hands) * ROW + 12 + LINE
    notes = (draw_text(16, top + LINE * row, line, colour=PALE) for row, line in enumerate((first, *lines)))
    height = top + LINE * (1 + len(lines))
    return picture(height, f'Catch Five, {first}', (*_rows(state, [format_cards(hand) for hand in hands]), *notes))


def _rows(state: Mapping[str, Any], hands: list[str]) -> Iterator[str]:
    for seat, hand in enumerate(hands):
        moves, left = is_to_move(state, seat), state['num_cards_left'][seat]
        yield from draw_seat(12 + seat * ROW, f'seat {seat}', bid_text(state['bids'][seat]), hand, left, moves)
        yield from draw_cards(state['trick'][seat] or '', IN_TRICK, 12 + seat * ROW)
