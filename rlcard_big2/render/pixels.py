"""Pictures of `render.svg` as arrays of pixels, drawn with Pillow and its own font.

Libraries that draw any SVG, such as CairoSVG and resvg, need fonts of the system, and the first also libcairo.
"""

import cmath
import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.errors import ConfigError, installing

try:
    from PIL import Image, ImageColor, ImageDraw, ImageFont
except ModuleNotFoundError as error:
    raise ImportError(f'pictures need Pillow: {installing("gymnasium")}') from error

FINE = 2  # pixels drawn for each pixel returned, in each direction
STEPS = 12  # straight lines for each curve
TOKENS = re.compile(r'[A-Z]|-?[\d.]+')
NUMBERS = {'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'A': 7, 'Z': 0}  # that follow each command of a path


def rasterise(svg: str) -> NDArray[np.uint8]:
    """Return a picture of `render.svg.draw` as uint8 [height, width, 3]."""
    root = ElementTree.fromstring(svg)
    size = int(root.attrib['width']), int(root.attrib['height'])
    image = Image.new('RGB', (FINE * size[0], FINE * size[1]), 'white')
    brush = ImageDraw.Draw(image, 'RGBA')
    for child in root:
        _draw(brush, child, 0.0, 0.0, float(root.attrib['font-size']))
    return np.asarray(image.resize(size, Image.Resampling.LANCZOS)).copy()


def _draw(brush: Any, element: ElementTree.Element, left: float, top: float, font_size: float) -> None:
    """Draw an element whose origin is at (left, top)."""
    kind, values = element.tag.rpartition('}')[2], element.attrib
    dx, dy, scale = _transform(values.get('transform', ''))
    left, top = left + dx, top + dy
    if kind == 'g':
        for child in element:
            _draw(brush, child, left, top, font_size)
    elif kind == 'rect':
        _draw_box(brush, values, left, top)
    elif kind == 'path':
        points = [(FINE * (left + scale * x), FINE * (top + scale * y)) for x, y in flatten(values['d'])]
        if 'stroke' in values:
            brush.line(points, _colour(values['stroke'], values.get('stroke-opacity')), FINE)
        else:
            brush.polygon(points, values['fill'])
    elif kind == 'text':
        _write(brush, element, left, top, font_size)
    elif kind != 'title':
        raise ConfigError(f'a picture with <{kind}> cannot be made into pixels')


def _transform(text: str) -> tuple[float, float, float]:
    """Read 'translate(x y) scale(s)', either of which may be missing."""
    move, scale = re.search(r'translate\((\S+) (\S+)\)', text), re.search(r'scale\((\S+)\)', text)
    x, y = (float(move[1]), float(move[2])) if move else (0.0, 0.0)
    return x, y, float(scale[1]) if scale else 1.0


def _draw_box(brush: Any, values: dict[str, str], left: float, top: float) -> None:
    x, y = left + float(values.get('x', 0)), top + float(values.get('y', 0))
    corners = [FINE * value for value in (x, y, x + float(values['width']), y + float(values['height']))]
    fill = None if values['fill'] == 'none' else values['fill']
    brush.rounded_rectangle(corners, FINE * float(values.get('rx', 0)), fill, values.get('stroke'), FINE)


def _write(brush: Any, element: ElementTree.Element, left: float, top: float, font_size: float) -> None:
    values = element.attrib
    font = ImageFont.load_default(FINE * float(values.get('font-size', font_size)))
    at = FINE * (left + float(values['x'])), FINE * (top + float(values['y']))
    anchor = 'ms' if values.get('text-anchor') == 'middle' else 'ls'
    bold = FINE // 2 if values.get('font-weight') == 'bold' else 0
    brush.text(at, element.text or '', values['fill'], font, anchor, stroke_width=bold, stroke_fill=values['fill'])


def _colour(name: str, opacity: str | None) -> tuple[int, ...]:
    return (*ImageColor.getrgb(name)[:3], round(255 * float(opacity or 1)))


def flatten(path: str) -> list[tuple[float, float]]:
    """Return the corners of an outline in SVG's notation: absolute M, L, H, V, C, Z, and arcs of circles."""
    tokens = TOKENS.findall(path)
    points: list[complex] = []
    while tokens:
        command, *rest = tokens
        numbers = [float(token) for token in rest[: NUMBERS[command]]]
        tokens = rest[NUMBERS[command] :]
        last = points[-1] if points else 0j
        if command in 'ML':
            points.append(complex(*numbers))
        elif command in 'HV':
            points.append(complex(numbers[0], last.imag) if command == 'H' else complex(last.real, numbers[0]))
        elif command == 'C':
            points.extend(_bezier([last, *map(complex, numbers[::2], numbers[1::2])]))
        elif command == 'A':
            points.extend(_arc(last, numbers[0], numbers[3] != numbers[4], numbers[4] == 1, complex(*numbers[5:])))
    return [(point.real, point.imag) for point in points]


def _bezier(controls: list[complex]) -> Iterator[complex]:
    for step in range(1, STEPS + 1):
        t = step / STEPS
        shares = [weight * t**i * (1 - t) ** (3 - i) for i, weight in enumerate((1, 3, 3, 1))]
        yield sum(share * point for share, point in zip(shares, controls, strict=True))


def _arc(start: complex, radius: float, left_of: bool, clockwise: bool, end: complex) -> Iterator[complex]:
    """Yield points of an arc; its centre is `left_of` the way from start to end, or on the other side."""
    half = (start - end) / 2
    away = math.sqrt(max(radius**2 - abs(half) ** 2, 0.0)) / abs(half) * (1 if left_of else -1)
    centre = (start + end) / 2 - 1j * away * half
    first = cmath.phase(start - centre)
    turn = (cmath.phase(end - centre) - first) % (2 * math.pi) - (0.0 if clockwise else 2 * math.pi)
    for step in range(1, STEPS + 1):
        yield centre + cmath.rect(max(radius, abs(half)), first + turn * step / STEPS)
