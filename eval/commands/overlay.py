"""`overlay`: learning curves of several runs on the same axes."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from eval.plots import FRAMES, draw_lines
from eval.points import read_points
from rlcard_big2.duplicate.intervals import Estimate
from rlcard_big2.duplicate.limits import Watch
from rlcard_big2.errors import ConfigError

ACROSS = {'frames': FRAMES, 'minutes': 'minutes of training'}


@dataclass(frozen=True, kw_only=True)
class OverlayOptions:
    """Draw the curves of several runs on the same axes.

    Try
      overlay results/dmc/curve.csv results/ppo/curve.csv --png results/curves.png
    """

    files: Annotated[tuple[Path, ...], Positional, arg(metavar='CSV ...')]
    """Files that `curve` wrote; lines are named after the files' folders, or by paths if those are alike."""
    against: Annotated[str | None, arg(metavar='AGENT')] = None
    """The opponent, as it is named in the files, if they have several."""
    by: Literal['frames', 'minutes'] = 'frames'
    """What the points are drawn over. Minutes compare runs of the same machine and the same cores alone."""
    png: Annotated[Path, arg(metavar='FILE')] = Path('curves.png')
    """What to draw."""

    def __post_init__(self) -> None:
        if not self.files:
            raise ConfigError('files: name at least one that `curve` wrote')


def overlay_command(options: OverlayOptions, watch: Watch) -> None:
    """Draw the picture; ConfigError if a file does not hold what it takes."""
    found = {path: _points(path, options.by) for path in options.files}
    opponents = sorted({opponent for points in found.values() for opponent in points})
    if options.against is None and len(opponents) != 1:
        raise ConfigError(f'against: choose one of {", ".join(opponents)}')
    opponent = options.against or opponents[0]
    for path, points in found.items():
        if opponent not in points:
            raise ConfigError(f'{path} has no match against {opponent!r}; it has {", ".join(points)}')
    lines = {name: points[opponent] for name, points in zip(_line_names(found), found.values(), strict=True)}
    if not draw_lines(options.png, lines, f'three of {opponent}', ACROSS[options.by]):
        raise ConfigError('nothing is drawn without matplotlib: pip install matplotlib')


def _line_names(paths: Iterable[Path]) -> list[str]:
    names = [path.resolve().parent.name for path in paths]
    return names if len(set(names)) == len(names) else list(map(str, paths))


def _points(path: Path, by: str) -> dict[str, list[tuple[float, Estimate]]]:
    """Return EV against each opponent in a file that `curve` wrote; ConfigError if it is not such a file."""
    lines: dict[str, list[tuple[float, Estimate]]] = {}
    try:
        for point in read_points(path):
            across = point.frames / 1e6 if by == 'frames' else point.minutes
            if across is None:
                raise ValueError('it does not tell the minutes')
            lines.setdefault(point.opponent, []).append((across, point.ev))
    except (OSError, ValueError) as error:
        raise ConfigError(f'{path} is not a curve by {by}: {error}') from error
    if not lines:
        raise ConfigError(f'{path} is not a curve by {by}: it is empty')
    return lines
