"""Learning curves of several runs on the same axes, from their files curve.csv."""

from collections.abc import Sequence
from pathlib import Path

from eval.figures import FRAMES, HAS_MATPLOTLIB, Lines, draw_lines
from eval.game import EvaluatedGame
from eval.games import game_named, name_in
from eval.points import read_points
from eval.store import REPORT
from rlcard_kit.errors import ConfigError, FileError
from rlcard_kit.files import parse_json, read_file
from rlcard_kit.statistics import Estimate

ACROSS = {'frames': FRAMES, 'minutes': 'minutes of training'}
CURVE = 'curve.csv'
LARGEST_REPORT = 1 << 26  # bytes


def line_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the names of lines: those of the folders, or the paths if some are equal."""
    names = tuple(path.resolve().name for path in map(_folder, paths))
    return names if len(set(names)) == len(names) else tuple(map(str, paths))


def games_of_curves(paths: Sequence[Path]) -> dict[str, str]:
    """Return the games of runs and reports, if they are known, by their paths."""
    return {str(path): game for path in paths if (game := _game_of(path))}


def read_lines(names: Sequence[str], paths: Sequence[Path], by: str, opponent: str | None) -> tuple[str, Lines]:
    """Return the opponent and the headline against it, a line for each curve.

    Args:
        names: of the lines.
        paths: files of `write_points`, or their folders.
        by: 'frames' or 'minutes'.
        opponent: as the files name it, if they have several.

    Raises:
        ConfigError: if a file is not a curve, or is not against that opponent.
    """
    curves = [_read_curves(path, by) for path in paths]
    opponents = sorted({name for curve in curves for name in curve})
    if opponent is None and len(opponents) != 1:
        raise ConfigError(f'against: choose one of {", ".join(opponents)}')
    opponent = opponent or opponents[0]
    for path, curve in zip(paths, curves, strict=True):
        if opponent not in curve:
            raise ConfigError(f'{path} has no match against {opponent!r}; it has {", ".join(curve)}')
    return opponent, {name: curve[opponent] for name, curve in zip(names, curves, strict=True)}


def draw_overlay(game: EvaluatedGame, opponent: str, lines: Lines, by: str, files: Sequence[Path]) -> None:
    """Draw the lines of `read_lines` in each file; ConfigError without matplotlib."""
    if not HAS_MATPLOTLIB:
        raise ConfigError('nothing is drawn without matplotlib: pip install matplotlib')
    label = f'{game.wording.axis},\nagainst {game.against(opponent)}'
    for path in files:
        draw_lines(path, lines, across=ACROSS[by], label=label)


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


def _read_curves(path: Path, by: str) -> dict[str, list[tuple[float, Estimate]]]:
    """Return the headline against each opponent in a curve's file or folder; ConfigError if there is none."""
    file = path / CURVE if path.is_dir() else path
    curves: dict[str, list[tuple[float, Estimate]]] = {}
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
