"""Points of learning curves, and their file format, curve.csv."""

import csv
from collections.abc import Iterable
from io import StringIO
from math import inf, isfinite
from pathlib import Path
from typing import NamedTuple

from rlcard_kit.files import read_file
from rlcard_kit.statistics import Estimate

COLUMNS = ('minutes', 'frames', 'opponent', 'deals', 'wp', 'wp_margin', 'ev', 'ev_margin')

LARGEST = 1 << 24  # bytes of a curve
LARGEST_NUMBER = 10**15  # in it


class Point(NamedTuple):
    """The result of one match of a run's network against a table of one opponent."""

    minutes: float | None  # of training; None if unknown
    frames: int  # decisions learned from
    opponent: str
    deals: int  # each played in every seating
    wp: Estimate  # the share of games won
    ev: Estimate  # the headline of the game, see `EvaluatedGame`

    def __str__(self) -> str:
        return f'EV {self.ev:+.2f}, WP {self.wp:.3f}'


def write_points(path: Path, points: Iterable[Point]) -> None:
    """Write points as CSV: WP and EV each with half of their 95 % interval, empty if it is unknown."""
    with path.open('w', encoding='utf-8', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([*point[:4], *_cells(point.wp), *_cells(point.ev)] for point in points)


def _cells(figure: Estimate) -> tuple[float, float | str]:
    return figure.mean, figure.margin if isfinite(figure.margin) else ''


def read_points(path: Path) -> list[Point]:
    """Read a file of `write_points`.

    Raises:
        ValueError: if the file cannot be read or has another format.
    """
    try:
        reader = csv.DictReader(StringIO(read_file(path, LARGEST).decode(), newline=''))
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f'its columns are {reader.fieldnames}, expected {", ".join(COLUMNS)}')
        return [_parse(row) for row in reader]
    except csv.Error as error:
        raise ValueError(f'it is not CSV: {error}') from error


def _parse(row: dict[str, str]) -> Point:
    if None in row or None in row.values():
        raise ValueError(f'a line has not {len(COLUMNS)} cells: {", ".join(map(str, row.values()))}')
    minutes = float(row['minutes']) if row['minutes'] else None
    wp, ev = (Estimate(float(row[name]), float(row[f'{name}_margin'] or inf)) for name in ('wp', 'ev'))
    frames, deals = int(row['frames']), int(row['deals'])
    natural = (minutes or 0, frames, deals, *(figure.margin for figure in (wp, ev) if figure.margin != inf))
    if min(natural) < 0 or not all(abs(number) <= LARGEST_NUMBER for number in (*natural, wp.mean, ev.mean)):
        raise ValueError(f'a number is out of bounds: {", ".join(row.values())}')
    return Point(minutes, frames, row['opponent'], deals, wp, ev)
