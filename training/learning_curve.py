"""How a run stands against fixed opponents: points of its learning curve, as CSV and PNG, and what they say."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from eval.plots import draw_lines
from rlcard_big2.duplicate.intervals import Estimate
from rlcard_big2.duplicate.match import Match
from rlcard_big2.files import replace
from rlcard_big2.nets.saved import CheckpointError

WINDOW = 1 / 3  # of a run, at its end, in which it is asked to have improved


class Point(NamedTuple):
    """The result of one match against three of an opponent."""

    minutes: float  # of training
    frames: int
    opponent: str
    deals: int  # each played in all four seats
    wp: Estimate
    ev: Estimate

    def __str__(self) -> str:
        return f'EV {self.ev.mean:+.2f} ± {self.ev.margin:.2f}, WP {self.wp.mean:.3f} ± {self.wp.margin:.3f}'


COLUMNS = ('minutes', 'frames', 'opponent', 'deals', 'wp', 'wp_margin', 'ev', 'ev_margin')


def point_of(match: Match, minutes: float, frames: int, opponent: str) -> Point:
    """Return the point that a match makes."""
    result = match.result
    return Point(minutes, frames, opponent, match.num_deals, result.wp, result.ev)


class Curve:
    """The points of a run, kept in its folder as curve.csv.

    Args:
        folder: of the run; points that are there already are read.
        frames: of the run by now; points from beyond are of a part of it that was lost.
    """

    def __init__(self, folder: Path, frames: int | None = None) -> None:
        self._folder = folder
        self.points = [point for point in _read(folder / 'curve.csv') if frames is None or point.frames <= frames]

    def add(self, points: Iterable[Point]) -> None:
        """Append points and write the files; OSError where they cannot be."""
        self.points.extend(points)
        replace(self._folder / 'curve.csv', self._write)
        lines = {opponent: [(p.frames / 1e6, p.ev) for p in self._against(opponent)] for opponent in self.latest()}
        draw_lines(self._folder / 'curve.png', lines, '\n'.join(map(self.trend, lines)))

    def _write(self, path: Path) -> None:
        with path.open('w', newline='') as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows([*point[:4], *point.wp, *point.ev] for point in self.points)

    def latest(self) -> dict[str, Point]:
        """Return the last point against each opponent."""
        return {point.opponent: point for point in self.points}

    def _against(self, opponent: str) -> list[Point]:
        return [point for point in self.points if point.opponent == opponent]

    def trend(self, opponent: str) -> str:
        """Say in a sentence whether the run still improved against an opponent in its last third."""
        *before_last, last = self._against(opponent)
        earlier = [point for point in before_last if point.frames <= (1 - WINDOW) * last.frames]
        if not earlier:
            return f'too early to tell whether it improves against {opponent}'
        before = earlier[-1]
        gain = Estimate(last.ev.mean - before.ev.mean, (last.ev.margin**2 + before.ev.margin**2) ** 0.5)
        verdict = 'still improving' if gain.is_significant and gain.mean > 0 else 'no improvement that can be told'
        since = f'since {before.frames / 1e6:.1f} M frames'
        return f'{verdict}: {gain.mean:+.2f} ± {gain.margin:.2f} in EV against {opponent} {since}'


def _read(path: Path) -> list[Point]:
    """Return the points in a file, none where there is no file; CheckpointError where it holds something else."""
    if not path.exists():
        return []
    try:
        with path.open(newline='') as file:
            return [_parse(row) for row in csv.DictReader(file)]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f'{path} cannot be read: {error!r}; without it the run starts a new curve') from error


def _parse(row: dict[str, str]) -> Point:
    wp, wp_margin, ev, ev_margin = (float(row[name]) for name in COLUMNS[4:])
    return Point(
        float(row['minutes']),
        int(row['frames']),
        row['opponent'],
        int(row['deals']),
        Estimate(wp, wp_margin),
        Estimate(ev, ev_margin),
    )
