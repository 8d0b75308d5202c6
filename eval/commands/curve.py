"""`curve`: matches of the checkpoints of a training run against fixed opponents and each other; curves of several."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from typing_extensions import override
from tyro.conf import Positional

from eval.common.cli import new_console, option
from eval.figures import FRAMES, HAS_MATPLOTLIB, CheckpointCurves, Lines, draw_lines, draw_panels, lines_of
from eval.game import DuplicateMatch, EvaluatedGame, Pair
from eval.games import GAMES, games_of, stored_name
from eval.options import Options
from eval.points import read_points, write_points
from eval.runner import run_match
from eval.store import REPORT
from eval.tables import Row, Section, csv_table
from rlcard_kit.bounds import AtLeast
from rlcard_kit.errors import ConfigError, FileError, describe
from rlcard_kit.files import parse_json, read_file, replace, replace_text
from rlcard_kit.nets.checkpoint import SETTINGS
from rlcard_kit.statistics import Estimate, estimate

CURVE = 'curve.csv'
ACROSS = {'frames': FRAMES, 'minutes': 'minutes of training'}
OTHERS, OWN = 'other checkpoints', 'the checkpoint'
LARGEST_METRICS = 1 << 28  # bytes

Matches = Mapping[Pair, DuplicateMatch]  # by the indices of the agent and of its opponent in the plan


@dataclass(frozen=True, kw_only=True)
class CurveOptions(Options):
    """Play the checkpoints of a training run against fixed opponents and against each other.

    Of several runs or reports, or of files named curve.csv, draw the curves that they hold on the same axes, and play
    nothing: curves.png in the folder --out, by default in this one.

    Try
      curve runs/dmc
      curve runs/dmc --against random rule published-ppo:FILE --points 12 --others none
      curve runs/ppo --others last
      curve runs/catch5 --against random pass suit --others last --options greedy
      curve runs/one runs/two --label one two --figures pdf
    """

    runs: Annotated[tuple[Path, ...], Positional, option('RUN ...')]
    """Folder of a run; its checkpoints/ holds one folder per checkpoint, named after its frames, and its metrics.csv,
    if any, has the seconds of training. Of several, their curves: folders of runs or reports, or curve.csv."""
    against: Annotated[tuple[str, ...] | None, option('AGENT ...')] = None
    """The fixed opponents; by default random and rule, in Catch Five pass and rule. Of several curves, the opponent as
    their files name it, if they have more than one."""
    points: Annotated[int, AtLeast(1), option('N')] = 8
    """Largest number of checkpoints, evenly spaced from the first to the last."""
    others: Literal['all', 'last', 'none'] = 'all'
    """Play all checkpoints against each other, the last against each earlier one, or none of them."""
    kind: Annotated[str | None, option('NAME')] = None
    """Kind of agent, as before the colon of an agent's name; by default that of settings.json."""
    options: Annotated[tuple[str, ...], option('WORD ...')] = ()
    """Options added to the checkpoints' names, such as --options greedy."""
    by: Literal['frames', 'minutes'] = 'frames'
    """The horizontal axis of several curves. Minutes compare only runs on the same machine and cores."""

    def __post_init__(self) -> None:
        if not self.runs:
            raise ConfigError('run=none: name the folder of a run, or several curves')
        super().__post_init__()
        if self.is_overlay:
            if len(self.against or ()) > 1:
                raise ConfigError(f'against={" ".join(self.against or ())}: name one opponent of several curves')
            if not self.report.figures:
                raise ConfigError('figures=none: name a format to draw, such as pdf')
            return
        if not self.checkpoints:
            raise ConfigError(f'run={self.run_folder}: {self.run_folder / "checkpoints"} holds no checkpoints')
        if not self.pairs():
            raise ConfigError('against=none: name an opponent, or let more checkpoints play each other, by --others')

    @property
    def is_overlay(self) -> bool:
        """Whether curves are drawn, and nothing is played."""
        run = self.run_folder
        is_report = (run / CURVE).exists() and not (run / 'checkpoints').exists()
        return len(self.runs) > 1 or is_report or run.suffix == '.csv'

    @property
    def run_folder(self) -> Path:
        """The folder of the only run."""
        return self.runs[0]

    @override
    def known_games(self) -> dict[str, str]:
        """Return the games of the runs and the opponents."""
        if self.is_overlay:
            return {str(path): game for path in self.runs if (game := _game_of(path))}
        game = stored_name(self.checkpoints[-1] / SETTINGS) if self.checkpoints else None
        return ({} if game is None else {str(self.run_folder): game}) | games_of(self.against or ())

    @property
    @override
    def names(self) -> tuple[str, ...]:
        """The fixed opponents, or the lines of several curves."""
        if self.is_overlay:
            return _line_names(self.runs)
        return self.evaluated.baselines if self.against is None else self.against

    @cached_property
    def checkpoints(self) -> list[Path]:
        """The folders of the checkpoints to play, the earliest first; a run that goes on adds others meanwhile."""
        folders = (path.parent for path in (self.run_folder / 'checkpoints').glob(f'*/{SETTINGS}'))
        kept = sorted((folder for folder in folders if folder.name.isdecimal()), key=lambda folder: int(folder.name))
        spaced = np.linspace(len(kept) - 1, 0, min(self.points, len(kept))).round().astype(int)
        return [kept[index] for index in reversed(spaced)]

    def players(self) -> list[str]:
        """Return the names of the checkpoints as agents; ConfigError if their kind is unknown."""
        kind = self.kind or _kind(self.checkpoints[-1] / SETTINGS)
        return [','.join((f'{kind}:{path}', *self.options)) for path in self.checkpoints]

    def pairs(self) -> list[Pair]:
        """Return (agent, opponent) index pairs to play; indices count the checkpoints, then the fixed opponents."""
        count = len(self.checkpoints)
        last = count - 1
        among = {'all': range(count), 'last': range(last, count), 'none': range(0)}[self.others]
        return [
            (agent, field)
            for agent in range(count)
            for field in range(0 if agent in among else count, count + len(self.names))
            if field != agent
        ]

    def minutes(self, labels: list[str]) -> list[float | None]:
        """Return the minutes of training at each checkpoint, None if unknown."""
        path = self.run_folder / 'metrics.csv'
        rows = _read_times(path) if path.exists() else []
        return [float(np.interp(int(label), *np.transpose(rows))) if rows else None for label in labels]


def curve_command(options: CurveOptions) -> None:
    """Play and report a learning curve, as CSV and PNG too; or draw those of several runs."""
    if options.is_overlay:
        _overlay(options)
        return
    against, game = options.report.labels(options.names), options.evaluated
    labels = [path.name for path in options.checkpoints]
    minutes, pairs = options.minutes(labels), options.pairs()
    duels = game.seatings(game.duels(pairs))
    plan = options.plan((*options.players(), *options.names), duels, options.game.make_deals())
    result = run_match(plan, options, f'curve of {options.run_folder}')
    matches = game.matches(pairs, result.outcome, plan.rules)
    fixed = [
        _fixed(game, figure, labels, against, matches, options.others == 'all') for figure in game.wording.compared
    ]
    title = f'of the checkpoint (row) against {game.against("another (column)")}'
    figures = () if options.others == 'none' else game.wording.compared
    each_other = [game.matrix(f'{figure} {title}', labels, matches, figure) for figure in figures]
    result.report.sections = [*fixed, *each_other]
    result.report.notes.append(f'{len(plan.deals)} deals.')
    points = [
        game.point(matches[agent, field], minutes[agent], int(labels[agent]), [*labels, *against][field])
        for agent, field in pairs
    ]
    replace(result.folder / CURVE, lambda path: write_points(path, points))
    label = f'{game.wording.axis},\nagainst {game.against("the opponent")}'
    draw: dict[str, Callable[[Path], None]] = {
        'curve': partial(draw_lines, lines=dict(lines_of(fixed[0])), label=label)
    }
    if each_other:
        last = zip(labels, each_other[0].rows[-1].cells, strict=True)
        lines = {f'of the last, {labels[-1]}': [(int(frames) / 1e6, cell) for frames, cell in last if cell is not None]}
        across = f'{FRAMES} by the earlier checkpoint'
        label = f'{game.wording.axis},\nagainst {game.against("an earlier checkpoint")}'
        draw['final'] = partial(draw_lines, lines=lines, across=across, label=label)
    for name, curves in _curves(options, labels, against, matches).items():
        text = csv_table(table for _, table in curves)
        replace_text(result.folder / f'{name}.csv', text)
        draw[name] = partial(draw_panels, game, curves)
    result.publish(draw, options.report.figures)


def _overlay(options: CurveOptions) -> None:
    """Draw curves on the same axes, and print the files' names; ConfigError if a file is not a curve."""
    names, game = options.report.labels(options.names), options.evaluated
    opponent, lines = _read_lines(names, options.runs, options.by, *(options.against or (None,)))
    files = [(options.report.out or Path()) / f'curves.{kind}' for kind in options.report.figures]
    if not HAS_MATPLOTLIB:
        raise ConfigError('nothing is drawn without matplotlib: pip install matplotlib')
    label = f'{game.wording.axis},\nagainst {game.against(opponent)}'
    for path in files:
        draw_lines(path, lines, across=ACROSS[options.by], label=label)
    new_console().print(f'drawn: {", ".join(map(str, files))}', soft_wrap=True, markup=False, highlight=False)


def _curves(
    options: CurveOptions, labels: list[str], against: tuple[str, ...], matches: Matches
) -> dict[str, list[CheckpointCurves]]:
    """Return the curves against the fixed opponents, and of the last checkpoint against the earlier ones."""
    game, count = options.evaluated, len(labels)

    def curves(title: str, names: tuple[str, str], pairs: list[Pair]) -> CheckpointCurves:
        """Return the curves of pairs, the first of the first checkpoint."""
        played = [(game.by_deal(matches[a, b]), game.by_deal(matches[b, a])) for a, b in pairs]
        return CheckpointCurves.of(game, title, names, dict(zip(labels, played, strict=False)))

    if not game.panels:
        return {}
    drawn = {
        'opponents': [
            curves(f'against {game.against(name)}', (OWN, name), [(i, field) for i in range(count)])
            for field, name in enumerate(against, count)
        ]
    }
    if options.others != 'none' and count > 1:
        title = f'the last checkpoint against {game.against("an earlier one")}'
        pairs = [(count - 1, earlier) for earlier in range(count - 1)]
        drawn['earlier'] = [curves(title, ('the last', 'the earlier'), pairs)]
    return {name: each for name, each in drawn.items() if each}


def _kind(path: Path) -> str:
    """Return the kind of agent in a checkpoint's settings; ConfigError if there is none."""
    try:
        return str(parse_json(path, read_file(path))['agent'])
    except (FileError, TypeError, KeyError, IndexError) as error:
        raise ConfigError(f'{path} names no agent ({describe(error)}): choose one by --kind NAME') from error


def _read_times(path: Path) -> list[tuple[float, float]]:
    """Return frames and minutes of a run's metrics, ascending; ConfigError if they are missing."""
    try:
        lines = csv.DictReader(StringIO(read_file(path, LARGEST_METRICS).decode(), newline=''))
        return sorted((float(row['frames']), float(row['seconds']) / 60) for row in lines)
    except (FileError, csv.Error, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f'{path} has no frames and seconds: {describe(error)}') from error


def _fixed(
    game: EvaluatedGame, figure: str, labels: list[str], against: tuple[str, ...], matches: Matches, others: bool
) -> Section:
    """Return a figure against each fixed opponent, and on average against each of the other checkpoints."""
    count = len(labels)
    rows = []
    for agent, label in enumerate(labels):
        cells: list[Estimate | None] = [game.estimate(matches[agent, count + i], figure) for i in range(len(against))]
        if others:
            rest = [game.by_deal(matches[agent, field])[figure] for field in range(count) if field != agent]
            cells.append(estimate(np.mean(rest, axis=0)) if rest else None)
        rows.append(Row(label, tuple(cells)))
    columns = (*against, *[OTHERS] * others)
    return Section(f'{figure} of the checkpoint (row) against {game.against("the column")}', columns, tuple(rows))


def _line_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the names of lines: those of the folders, or the paths if some are equal."""
    names = tuple(path.resolve().name for path in map(_folder, paths))
    return names if len(set(names)) == len(names) else tuple(map(str, paths))


def _read_lines(names: Sequence[str], paths: Sequence[Path], by: str, opponent: str | None) -> tuple[str, Lines]:
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
        raise ConfigError(f'against=none: choose one of {", ".join(opponents)}')
    opponent = opponent or opponents[0]
    for path, curve in zip(paths, curves, strict=True):
        if opponent not in curve:
            raise ConfigError(f'{path} has no match against {opponent!r}; it has {", ".join(curve)}')
    return opponent, {name: curve[opponent] for name, curve in zip(names, curves, strict=True)}


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _game_of(path: Path) -> str | None:
    """Return the game of a run or of a report, or None if unknown."""
    names = (stored_name(_folder(path) / file) for file in (SETTINGS, REPORT))
    return next((name for name in names if name in GAMES), None)


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
