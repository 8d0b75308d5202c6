"""Positions as pictures: an SVG without fonts, scripts or files from elsewhere, for notebooks and pages."""

from collections.abc import Iterator

from rlcard_big2.notation import MOVES_SHOWN, Scene, table_text
from rlcard_kit.drawing import CARDS_LEFT, PALE, ROW, WIDTH, draw_cards, draw_seat, draw_text, picture, shortened


def draw(scene: Scene) -> str:
    """Draw a position: a row for each seat with its cards, the table, who has passed, and the last moves."""
    title = f'Big 2, rules {scene.rules.title}; table: {table_text(scene)}'
    return picture(5 * ROW + 74, title, (*_rows(scene), *_table(scene, 4 * ROW + 12), *_notes(scene, 5 * ROW + 24)))


def _rows(scene: Scene) -> Iterator[str]:
    for seat, (name, hand, left) in enumerate(zip(scene.names, scene.hands, scene.left, strict=True)):
        yield from draw_seat(12 + seat * ROW, name, _standing(scene, seat), hand, left, seat == scene.mover)


def _standing(scene: Scene, seat: int) -> str:
    if scene.payoffs is not None:
        return f'{scene.payoffs[seat]:+d}'
    left = scene.left[seat]
    return f'{left} card{"" if left == 1 else "s"}' + (', passed' if seat in scene.passed else '')


def _table(scene: Scene, top: int) -> Iterator[str]:
    yield f'<path d="M12 {top - 6}H{WIDTH - 12}" stroke="{PALE}" stroke-opacity=".4"/>'
    yield draw_text(16, top + 19, 'Table', weight='bold')
    yield draw_text(
        16, top + 37, 'free' if scene.by is None else f'by {shortened(scene.names[scene.by], 14)}', colour=PALE
    )
    yield from draw_cards(scene.table, CARDS_LEFT, top)


def _notes(scene: Scene, top: int) -> Iterator[str]:
    moves = [
        f'{shortened(scene.names[seat], 10)} {move.replace("T", "10")}' for seat, move in scene.trace[-MOVES_SHOWN:]
    ]
    half = MOVES_SHOWN // 2
    for row, part in enumerate((moves[:half], moves[half:])):
        yield draw_text(16, top + 20 * row, shortened(';  '.join(part), 90), colour=PALE)
