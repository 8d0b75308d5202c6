"""Draw the diagrams of these pages as SVG, without fonts, scripts or external files: python -m docs.diagrams.

A test fails if a diagram is stale.
"""

from collections.abc import Callable
from pathlib import Path

from rlcard_big2.notation import kind_name
from rlcard_big2.rules import Rules
from rlcard_kit.drawing import CARD_HEIGHT, INK, PALE, draw_cards, draw_text, picture

FOLDER = Path(__file__).parent / 'images'
AGENT, FIELD, LINE = '#ffd54f', '#ffffff', '#9a9ea6'
PACKAGES = (  # the floors of the checkout, from the top; each package imports those below it
    (('benchmarks', 'measurements'), ('page', 'page without a server')),
    (('dmc', 'Deep Monte Carlo'), ('ppo', 'PPO')),
    (('training', 'runs, checkpoints, display'),),
    (('eval', 'matches, reports, what commands share'),),
    (('rlcard_play', 'for people: terminal, server, page, advice, puzzles'),),
    (('rlcard_big2', 'Big 2'), ('rlcard_catch5', 'Catch Five')),
    (('rlcard_kit', 'engine core, agents, environments, networks'),),
)
LIBRARY_FLOORS = 3
COMBINATIONS = (  # each beats the one above it if they have as many cards
    ('9d', '2s'), ('9d 9c', '9h 9s'), ('7d 7c 7h', 'Kd Kc Ks'),
    ('7d 8c 9h Td Js',), ('4h 6h 9h Jh Kh',), ('6d 6c 6s Td Ts',), ('3d 3c 3h 3s 9d',), ('5s 6s 7s 8s 9s',),
)  # fmt: skip
ROW = CARD_HEIGHT + 14
SECOND = 400  # where the second column of cards begins


def box(left: int, top: int, width: int, height: int, fill: str) -> str:
    """Draw a box."""
    return f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{LINE}"/>'


def arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    """Draw a straight arrow."""
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    line = f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{INK}"/>'
    return line + head(to_x, to_y, (to_x - x) / length, (to_y - y) / length)


def head(x: int, y: int, along_x: float, along_y: float) -> str:
    """Draw an arrowhead at a point, in the direction of a unit vector."""
    back_x, back_y = x - 9 * along_x, y - 9 * along_y
    corners = ((x, y), (back_x - 4 * along_y, back_y + 4 * along_x), (back_x + 4 * along_y, back_y - 4 * along_x))
    return f'<path d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in corners)}Z" fill="{INK}"/>'


def combinations() -> str:
    """Draw the kinds of combinations of `hong-kong`, each with a stronger one next to it or below it."""
    parts = []
    for row, examples in enumerate(COMBINATIONS):
        top = 14 + row * ROW
        parts.append(draw_text(14, top + 27, kind_name(examples[0], Rules.preset('hong-kong')), weight='bold'))
        parts += draw_cards(examples[0], 150, top)
        if len(examples) > 1:
            parts.append(draw_text(SECOND - 62, top + 27, 'beaten by', PALE))
            parts += draw_cards(examples[1], SECOND + 16, top)
        elif row + 1 < len(COMBINATIONS):
            parts.append(draw_text(SECOND - 62, top + 27, 'beaten by the next row', PALE))
    return picture(14 + len(COMBINATIONS) * ROW, 'The combinations of Big 2', parts, 580)


def trick() -> str:
    """Draw a trick of four seats, and the next leader."""
    turns = (('seat 0', '4d 4h'), ('seat 1', '8c 8s'), ('seat 2', ''), ('seat 3', 'Kd Kh'))
    turns += (('seat 0', ''), ('seat 1', ''), ('seat 2', ''))
    parts = []
    for i, (who, cards) in enumerate(turns):
        left = 14 + i * 96
        parts.append(draw_text(left, 26, who, weight='bold' if cards else 'normal'))
        parts += draw_cards(cards, left, 38) if cards else [draw_text(left, 64, 'pass', PALE)]
    parts.append(draw_text(14, 108, 'Three passes in a row: seat 3 has control, and leads any combination.', PALE))
    return picture(122, 'A trick', parts, 690)


def duplicate() -> str:
    """Draw the four games of a deal: the agent moves from seat to seat, the cards stay."""
    parts = []
    for seating in range(4):
        left = 14 + seating * 156
        parts.append(draw_text(left, 26, f'game {seating + 1}', weight='bold'))
        for seat in range(4):
            top = 36 + seat * 30
            is_agent = seat == seating
            parts.append(box(left, top, 136, 24, AGENT if is_agent else FIELD))
            parts.append(draw_text(left + 8, top + 17, f'hand {seat + 1}: {"agent" if is_agent else "field"}'))
    note = 'The same four hands in all games. Their mean payoff to the agent is one observation.'
    parts.append(draw_text(14, 178, note, PALE))
    return picture(192, 'A deal, played four times', parts, 650)


def learning() -> str:
    """Draw the data exchanged by actors and learner."""
    boxes = (
        (14, 20, 'actor: 256 games at once', 'plays, and sometimes explores'),
        (14, 100, 'actor', 'another 256 games'),
        (380, 60, 'learner', 'regresses values on targets'),
    )
    parts = []
    for left, top, title, note in boxes:
        parts.append(box(left, top, 230, 56, FIELD))
        parts.append(draw_text(left + 10, top + 23, title, weight='bold'))
        parts.append(draw_text(left + 10, top + 43, note, PALE))
    parts += [arrow(244, 40, 380, 76), arrow(244, 120, 380, 96), draw_text(258, 34, 'decisions')]
    parts.append(f'<path d="M495 116V176H129V162" fill="none" stroke="{INK}"/>{head(129, 156, 0, -1)}')
    parts.append(draw_text(230, 194, 'weights, five times a second'))
    return picture(208, 'Actors and learner', parts, 624)


def house() -> str:
    """Draw the packages of the checkout, floor by floor."""
    parts, width, height = [], 320, 52
    for floor, packages in enumerate(PACKAGES):
        for column, (name, note) in enumerate(packages):
            left, top = 14 + column * (width + 12), 14 + floor * (height + 10)
            room = width if len(packages) > 1 else 2 * width + 12
            in_library = floor >= len(PACKAGES) - LIBRARY_FLOORS
            parts.append(box(left, top, room, height, AGENT if in_library else FIELD))
            parts += [draw_text(left + 12, top + 22, name, weight='bold'), draw_text(left + 12, top + 41, note, PALE)]
    low = 14 + len(PACKAGES) * (height + 10)
    parts.append(draw_text(14, low + 14, 'Imports go down. Yellow: the library, the contents of the wheel.', PALE))
    return picture(low + 30, 'The packages', parts, 2 * width + 40)


DIAGRAMS: dict[str, Callable[[], str]] = {
    f'{draw.__name__}.svg': draw for draw in (combinations, trick, duplicate, learning, house)
}


if __name__ == '__main__':
    for name, draw in DIAGRAMS.items():
        (FOLDER / name).write_text(f'{draw()}\n', encoding='utf-8')
