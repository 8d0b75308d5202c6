"""A run's learning curve: matches against fixed opponents, kept in its folder, and the trend."""

import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eval.figures import HAS_MATPLOTLIB, draw_lines
from eval.points import Point, read_points, write_points
from rlcard_kit.arrays import Float64Array
from rlcard_kit.errors import FileError, describe
from rlcard_kit.files import read_file, replace
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.statistics import estimate

LARGEST = 1 << 32  # bytes of curve.npz
WINDOW = 1 / 3  # of a run, at its end, in which it is asked to have improved


class Played(NamedTuple):
    """A point of the curve, and the EV of each deal, by which it is compared with other points on the same deals."""

    point: Point
    evs: Float64Array  # [deals]


class Curve:
    """The points of a run, kept in its folder as curve.csv, with the EVs of their deals in curve.npz.

    Args:
        folder: of the run; points that are there already are read.
        axis: what EV is in the figure, with its unit.
        frames: that the run resumes from; later points belong to a part of it that was lost.

    Raises:
        CheckpointError: if the files hold anything else.
    """

    def __init__(self, folder: Path, axis: str, frames: int | None = None) -> None:
        self._folder = folder
        self._axis = axis
        self.points = [point for point in self._read_points() if frames is None or point.frames <= frames]
        evs = self._read_evs()
        self._evs = {_key(point): evs[_key(point)] for point in self.points if _are_of(point, evs.get(_key(point)))}

    def _read_points(self) -> list[Point]:
        path = self._folder / 'curve.csv'
        try:
            return read_points(path) if path.exists() else []
        except ValueError as error:
            raise _unreadable(path, error) from error

    def _read_evs(self) -> dict[str, Float64Array]:
        path = self._folder / 'curve.npz'
        if not path.exists():
            return {}
        try:
            with np.load(io.BytesIO(read_file(path, LARGEST)), allow_pickle=False) as arrays:
                return dict(arrays)
        except Exception as error:  # a damaged file may raise anything
            raise _unreadable(path, error) from error

    def add(self, matches: Iterable[Played]) -> None:
        """Append points and write the files; OSError if they cannot be written."""
        for point, evs in matches:
            self.points.append(point)
            self._evs[_key(point)] = evs
        replace(self._folder / 'curve.npz', self._write_evs)
        replace(self._folder / 'curve.csv', lambda path: write_points(path, self.points))
        if HAS_MATPLOTLIB:
            lines = {opponent: [(p.frames / 1e6, p.ev) for p in self._against(opponent)] for opponent in self.latest()}
            draw_lines(self._folder / 'curve.png', lines, self._axis, '\n'.join(map(self.trend, lines)))

    def _write_evs(self, path: Path) -> None:
        with path.open('wb') as file:
            np.savez(file, **self._evs)  # type: ignore[arg-type]

    def holds(self, frames: int, opponent: str) -> bool:
        """Return whether there is a point against an opponent at `frames`."""
        return any((point.frames, point.opponent) == (frames, opponent) for point in self.points)

    def latest(self) -> dict[str, Point]:
        """Return the last point against each opponent."""
        return {point.opponent: point for point in self.points}

    def _against(self, opponent: str) -> list[Point]:
        return [point for point in self.points if point.opponent == opponent]

    def trend(self, opponent: str) -> str:
        """Return a sentence on the improvement against an opponent in the last third of the run.

        All matches of a run play the same deals, so two points differ by the mean of the differences on each deal. Its
        margin is smaller than theirs.
        """
        points = [point for point in self._against(opponent) if _key(point) in self._evs]
        earlier = [point for point in points[:-1] if point.frames <= (1 - WINDOW) * points[-1].frames]
        if not earlier:
            return f'one match against {opponent}: a longer run has several, which show whether it improves'
        before, last = earlier[-1], points[-1]
        deals = min(last.deals, before.deals)
        gain = estimate(self._evs[_key(last)][:deals] - self._evs[_key(before)][:deals])
        verdict = 'still improving' if gain.is_significant and gain.mean > 0 else 'no significant improvement'
        since = f'since {before.frames / 1e6:.1f} M frames'
        return f'{verdict}: {gain:+.2f} against {opponent} {since}'


def _are_of(point: Point, evs: Float64Array | None) -> bool:
    """Return whether an array holds the EV of each deal of a point."""
    return evs is not None and evs.shape == (point.deals,) and evs.dtype == np.float64


def _key(point: Point) -> str:
    return f'{point.frames} {point.opponent}'


def _unreadable(path: Path, error: Exception) -> CheckpointError:
    reason = str(error) if isinstance(error, FileError) else f'{path} cannot be read: {describe(error)}'
    return CheckpointError(f'{reason}; without it the run starts a new curve')
