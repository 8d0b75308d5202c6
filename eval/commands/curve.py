"""`curve`: matches of the checkpoints of a training run against fixed opponents and each other; curves of several."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from typing_extensions import override
from tyro.conf import Positional, arg

from common.cli import new_console
from eval.figures import FRAMES, CheckpointCurves, draw_lines, draw_panels, lines_of
from eval.game import DuplicateMatch, EvaluatedGame, Pair
from eval.games import games_of, stored_name
from eval.options import Options
from eval.overlay import CURVE, draw_overlay, games_of_curves, line_names, read_lines
from eval.points import write_points
from eval.runner import run_match
from eval.tables import Row, Section, csv_table
from rlcard_kit.bounds import AtLeast
from rlcard_kit.errors import ConfigError, FileError, describe
from rlcard_kit.files import parse_json, read_file, replace, replace_text
from rlcard_kit.nets.checkpoint import SETTINGS
from rlcard_kit.statistics import Estimate, estimate

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

    runs: Annotated[tuple[Path, ...], Positional, arg(metavar='RUN ...')]
    """Folder of a run; its checkpoints/ holds one folder per checkpoint, named after its frames, and its metrics.csv,
    if any, has the seconds of training. Of several, their curves: folders of runs or reports, or curve.csv."""
    against: Annotated[tuple[str, ...] | None, arg(metavar='AGENT ...')] = None
    """The fixed opponents; by default random and rule, in Catch Five pass and rule. Of several curves, the opponent as
    their files name it, if they have more than one."""
    points: Annotated[int, AtLeast(1), arg(metavar='N')] = 8
    """Largest number of checkpoints, evenly spaced from the first to the last."""
    others: Literal['all', 'last', 'none'] = 'all'
    """Play all checkpoints against each other, the last against each earlier one, or none of them."""
    kind: Annotated[str | None, arg(metavar='NAME')] = None
    """Kind of agent, as before the colon of an agent's name; by default that of settings.json."""
    options: Annotated[tuple[str, ...], arg(metavar='WORD ...')] = ()
    """Options added to the checkpoints' names, such as --options greedy."""
    by: Literal['frames', 'minutes'] = 'frames'
    """The horizontal axis of several curves. Minutes compare only runs on the same machine and cores."""

    def __post_init__(self) -> None:
        if not self.runs:
            raise ConfigError('run: name the folder of a run, or several curves')
        super().__post_init__()
        if self.is_overlay:
            if len(self.against or ()) > 1:
                raise ConfigError(f'against={" ".join(self.against or ())}: name one opponent of several curves')
            if not self.report.figures:
                raise ConfigError('figures: name a format to draw, such as pdf')
            return
        if not self.checkpoints:
            raise ConfigError(f'run={self.run_folder}: {self.run_folder / "checkpoints"} holds no checkpoints')
        if not self.pairs():
            raise ConfigError('nothing to play: name an opponent by --against, or let more checkpoints play each other')

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
            return games_of_curves(self.runs)
        game = stored_name(self.checkpoints[-1]) if self.checkpoints else None
        return ({} if game is None else {str(self.run_folder): game}) | games_of(self.against or ())

    @property
    @override
    def names(self) -> tuple[str, ...]:
        """The fixed opponents, or the lines of several curves."""
        if self.is_overlay:
            return line_names(self.runs)
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
    """Play and report a learning curve, or draw those of several runs."""
    if options.is_overlay:
        _overlay(options)
    else:
        _play(options)


def _overlay(options: CurveOptions) -> None:
    """Draw curves on the same axes, and print the files' names; ConfigError if a file is not a curve."""
    names = options.report.labels(options.names)
    opponent, lines = read_lines(names, options.runs, options.by, *(options.against or (None,)))
    files = [(options.report.out or Path()) / f'curves.{kind}' for kind in options.report.figures]
    draw_overlay(options.evaluated, opponent, lines, options.by, files)
    new_console().print(f'drawn: {", ".join(map(str, files))}', soft_wrap=True, markup=False, highlight=False)


def _play(options: CurveOptions) -> None:
    """Play and report a learning curve; write it as CSV and PNG."""
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
    draw: dict[str, Callable[[Path], bool]] = {
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
    result.publish({f'{name}.{kind}': function for name, function in draw.items() for kind in options.report.figures})


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
