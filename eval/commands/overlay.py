"""`overlay`: learning curves of several runs on the same axes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional, arg

from common.cli import new_console
from eval.figures import FORMATS, FRAMES, draw_lines
from eval.games import game_named, game_of, game_played, name_in
from eval.points import read_points
from eval.store import REPORT
from rlcard_kit.bounds import check_settings
from rlcard_kit.errors import ConfigError, FileError
from rlcard_kit.files import parse_json, read_file
from rlcard_kit.statistics import Estimate

ACROSS = {'frames': FRAMES, 'minutes': 'minutes of training'}

LARGEST_REPORT = 1 << 26  # bytes

Curves = dict[str, list[tuple[float, Estimate]]]  # by opponent


@dataclass(frozen=True, kw_only=True)
class OverlayOptions:
    """Draw the curves of several runs on the same axes.

    Try
      overlay runs/one runs/two --label one two
      overlay results/dmc results/ppo --figure results/curves.png results/curves.pdf
    """

    curves: Annotated[tuple[Path, ...], Positional, arg(metavar='FOLDER ...')]
    """Folders of runs or of reports of `curve`, which hold a curve.csv, or such files."""
    label: Annotated[tuple[str, ...], arg(metavar='TEXT ...')] = ()
    """Names of the lines, in the same order; by default the folders' names, or the paths if those are equal."""
    against: Annotated[str | None, arg(metavar='AGENT')] = None
    """The opponent, as it is named in the files, if they have several."""
    game: Annotated[str | None, arg(metavar='NAME')] = None
    """The game: big2, catch5 or python:MODULE:NAME. By default that of the folders, or Big 2."""
    by: Literal['frames', 'minutes'] = 'frames'
    """The horizontal axis. Minutes compare only runs on the same machine and cores."""
    figure: Annotated[tuple[Path, ...], arg(metavar='FILE ...')] = (Path('curves.png'),)
    """Files to draw, whose names end in .png, .pdf or .svg."""

    def __post_init__(self) -> None:
        check_settings(self)
        if not self.curves:
            raise ConfigError('curves: name at least one folder of a run or of a report of `curve`')
        if self.label and (len(self.label) != len(self.curves) or len(set(self.label)) < len(self.label)):
            raise ConfigError(f'label={" ".join(self.label)}: give {len(self.curves)}, all different')
        for path in self.figure:
            if path.suffix[1:] not in FORMATS:
                raise ConfigError(f'figure={path}: its name is to end in .{", .".join(FORMATS)}')
        if not self.figure:
            raise ConfigError('figure: name a file to draw, such as curves.pdf')

    @property
    def played(self) -> str:
        """The game of the curves; ConfigError if they are of several."""
        return game_played({str(path): game for path in self.curves if (game := _game_of(path))}, self.game)

    def names(self) -> tuple[str, ...]:
        """Return the names of the lines."""
        names = tuple(path.resolve().name for path in map(_folder, self.curves))
        return self.label or (names if len(set(names)) == len(names) else tuple(map(str, self.curves)))


def overlay_command(options: OverlayOptions) -> None:
    """Draw the figures and print their names; ConfigError if a file is not a curve."""
    game = game_of(options.played)
    found = [_curves(path, options.by) for path in options.curves]
    opponents = sorted({opponent for curves in found for opponent in curves})
    if options.against is None and len(opponents) != 1:
        raise ConfigError(f'against: choose one of {", ".join(opponents)}')
    opponent = options.against or opponents[0]
    for path, curves in zip(options.curves, found, strict=True):
        if opponent not in curves:
            raise ConfigError(f'{path} has no match against {opponent!r}; it has {", ".join(curves)}')
    lines = {name: curves[opponent] for name, curves in zip(options.names(), found, strict=True)}
    label = f'{game.axis},\nagainst {game.against(opponent)}'
    for path in options.figure:
        if not draw_lines(path, lines, across=ACROSS[options.by], label=label):
            raise ConfigError('nothing is drawn without matplotlib: pip install matplotlib')
    drawn = ', '.join(map(str, options.figure))
    new_console().print(f'drawn: {drawn}', soft_wrap=True, markup=False, highlight=False)


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _game_of(path: Path) -> str | None:
    """Return the game of a run or of a report, or None if unknown."""
    folder = _folder(path)
    report = folder / REPORT
    try:
        return name_in(folder) or game_named(parse_json(report, read_file(report, LARGEST_REPORT)))
    except FileError:
        return None


def _curves(path: Path, by: str) -> Curves:
    """Return EV against each opponent in a curve's file or folder; ConfigError if there is none."""
    file = path / 'curve.csv' if path.is_dir() else path
    curves: Curves = {}
    try:
        for point in read_points(file):
            across = point.frames / 1e6 if by == 'frames' else point.minutes
            if across is None:
                raise ValueError('it has no minutes')
            curves.setdefault(point.opponent, []).append((across, point.ev))
    except ValueError as error:
        raise ConfigError(f'{file} is not a curve by {by}: {error}') from error
    if not curves:
        raise ConfigError(f'{file} is not a curve by {by}: it is empty')
    return curves
