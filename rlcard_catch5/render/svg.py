"""Games as pictures: an SVG without fonts, scripts or files from elsewhere, for notebooks and pages."""

from collections.abc import Iterator

from rlcard_catch5.notation import Scene, bid_text, end_lines, is_to_move, table_lines
from rlcard_kit.drawing import PALE, ROW, WIDTH, draw_cards, draw_seat, draw_text, picture

LINE = 20  # height of a line of text
IN_TRICK = WIDTH - 60  # where the card lies that a seat has played to the trick


def draw(scene: Scene) -> str:
    """Draw a position: a row for each seat with its hand and its card in the trick, then points and tricks."""
    first, *lines = [*table_lines(scene), *end_lines(scene)]
    top = len(scene['hands']) * ROW + 12 + LINE
    notes = (draw_text(16, top + LINE * row, line, colour=PALE) for row, line in enumerate((first, *lines)))
    return picture(top + LINE * (1 + len(lines)), f'Catch Five, {first}', (*_rows(scene), *notes))


def _rows(scene: Scene) -> Iterator[str]:
    for seat, hand in enumerate(scene['hands']):
        moves, left = is_to_move(scene, seat), scene['num_cards_left'][seat]
        yield from draw_seat(12 + seat * ROW, f'seat {seat}', bid_text(scene['bids'][seat]), hand, left, moves)
        yield from draw_cards(scene['trick'][seat] or '', IN_TRICK, 12 + seat * ROW)
