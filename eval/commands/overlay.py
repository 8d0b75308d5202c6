"""`overlay`: learning curves of several runs on the same axes, by minutes of training."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from eval.commands.curve import Lines, draw_curve
from rlcard_big2.duplicate.intervals import Estimate
from rlcard_big2.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class OverlayOptions:
    """Draw the curves of several runs on the same axes, by minutes of training.

    Try
      overlay results/dmc/curve.csv results/ppo/curve.csv --png results/curves.png
    """

    files: Annotated[tuple[Path, ...], Positional, arg(metavar='CSV ...')]
    """Files that `curve` wrote; lines are named after the files' folders, or by paths where those are alike."""
    against: Annotated[str | None, arg(metavar='AGENT')] = None
    """The opponent, as it is named in the files, where they have several."""
    png: Annotated[Path, arg(metavar='FILE')] = Path('curves.png')
    """What to draw."""

    def __post_init__(self) -> None:
        if not self.files:
            raise ConfigError('files: name at least one that `curve` wrote')


def overlay_command(options: OverlayOptions) -> None:
    """Draw the picture; ConfigError where a file does not hold what it takes."""
    found = {path: _points(path) for path in options.files}
    opponents = sorted({opponent for points in found.values() for opponent in points})
    if options.against is None and len(opponents) != 1:
        raise ConfigError(f'against: choose one of {", ".join(opponents)}')
    opponent = options.against or opponents[0]
    for path, points in found.items():
        if opponent not in points:
            raise ConfigError(f'{path} has no match against {opponent!r}; it has {", ".join(points)}')
    names = [path.resolve().parent.name for path in found]
    if len(set(names)) < len(names):
        names = list(map(str, found))
    lines = {name: points[opponent] for name, points in zip(names, found.values(), strict=True)}
    if not draw_curve(options.png, lines, f'three of {opponent}', 'minutes of training'):
        raise ConfigError('nothing is drawn without matplotlib: pip install matplotlib')


def _points(path: Path) -> Lines:
    """Return EV by minutes against each opponent in a file that `curve` wrote; ConfigError where it is none."""
    lines: Lines = {}
    try:
        with path.open(newline='') as file:
            for row in csv.DictReader(file):
                ev = Estimate(float(row['ev']), float(row['ev_margin']))
                lines.setdefault(row['opponent'], []).append((float(row['minutes']), ev))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f'{path} is no curve by minutes: {error!r}') from error
    if not lines:
        raise ConfigError(f'{path} is no curve by minutes: it is empty')
    return lines
