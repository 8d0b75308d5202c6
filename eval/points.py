"""Points of learning curves, and the one form of a file that holds them, curve.csv."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from rlcard_big2.duplicate.intervals import Estimate
from rlcard_big2.duplicate.match import Match

COLUMNS = ('minutes', 'frames', 'opponent', 'deals', 'wp', 'wp_margin', 'ev', 'ev_margin')


class Point(NamedTuple):
    """The result of one match of a run's network against a table of one opponent."""

    minutes: float | None  # of training; None if unknown
    frames: int  # decisions learned from
    opponent: str
    deals: int  # each played in every seating
    wp: Estimate
    ev: Estimate

    @classmethod
    def of_match(cls, match: Match, minutes: float | None, frames: int, opponent: str) -> 'Point':
        """Return the point that a match makes."""
        result = match.result
        return cls(minutes, frames, opponent, match.num_deals, result.wp, result.ev)

    def __str__(self) -> str:
        return f'EV {self.ev.mean:+.2f} ± {self.ev.margin:.2f}, WP {self.wp.mean:.3f} ± {self.wp.margin:.3f}'


def write_points(path: Path, points: Iterable[Point]) -> None:
    """Write points as CSV: WP and EV each with half of their 95 % interval."""
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([*point[:4], *point.wp, *point.ev] for point in points)


def read_points(path: Path) -> list[Point]:
    """Read what `write_points` wrote.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if it holds anything else.
    """
    with path.open(newline='') as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f'its columns are {reader.fieldnames}, expected {", ".join(COLUMNS)}')
        return [_parse(row) for row in reader]


def _parse(row: dict[str, str]) -> Point:
    if None in row.values():
        raise ValueError(f'a line ends early: {row}')
    minutes = float(row['minutes']) if row['minutes'] else None
    wp, wp_margin, ev, ev_margin = (float(row[name]) for name in COLUMNS[4:])
    estimates = Estimate(wp, wp_margin), Estimate(ev, ev_margin)
    return Point(minutes, int(row['frames']), row['opponent'], int(row['deals']), *estimates)
