"""Boxes and arrows of the diagrams as SVG, without fonts, scripts or external files."""

from collections.abc import Sequence

from rlcard_big2.render.svg import FELT, INK

FIELD, LINE = '#ffffff', '#9a9ea6'


def box(left: int, top: int, width: int, height: int, fill: str) -> str:
    """Draw a box."""
    return f'<rect x="{left}" y="{top}" width="{width}" height="{height}" rx="5" fill="{fill}" stroke="{LINE}"/>'


def arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    """Draw a straight arrow."""
    length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    return f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{INK}"/>' + head(
        to_x, to_y, (to_x - x) / length, (to_y - y) / length
    )


def head(x: int, y: int, along_x: float, along_y: float) -> str:
    """Draw an arrowhead at a point, in the direction of a unit vector."""
    back_x, back_y = x - 9 * along_x, y - 9 * along_y
    corners = ((x, y), (back_x - 4 * along_y, back_y + 4 * along_x), (back_x + 4 * along_y, back_y - 4 * along_x))
    return f'<path d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in corners)}Z" fill="{INK}"/>'


def picture(title: str, width: int, height: int, parts: Sequence[str]) -> str:
    """Return an SVG of parts on a background."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="sans-serif" font-size="14"><title>{title}</title>'
        f'<rect width="{width}" height="{height}" rx="8" fill="{FELT}"/>{"".join(parts)}</svg>\n'
    )
