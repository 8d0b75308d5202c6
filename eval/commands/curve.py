"""`curve`: how the checkpoints of a training run play against fixed opponents and against each other."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from tyro.conf import Positional, arg

from common.bounds import AtLeast
from common.cli import new_console
from eval.console import finish, played
from eval.options import Options
from eval.plots import EV, FRAMES, draw_lines
from eval.points import Point, write_points
from eval.tables import Row, Section
from rlcard_big2.duplicate.limits import Watch
from rlcard_big2.duplicate.match import Match, join_matches, matches_of
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.errors import ConfigError, FileError, describe
from rlcard_big2.files import parse_json, read_file, replace
from rlcard_big2.intervals import Estimate

OTHERS = 'other checkpoints'
LARGEST_METRICS = 1 << 28  # bytes

Matches = dict[tuple[int, int], Match]  # by the places of the agent and of its field in the plan


@dataclass(frozen=True, kw_only=True)
class CurveOptions(Options):
    """Play the checkpoints of a training run against fixed opponents and against each other.

    Try
      curve runs/dmc
      curve runs/dmc --against random rule published-ppo:FILE --points 12 --others none
      curve runs/ppo --others last
    """

    folder_of_run: Annotated[Path, Positional, arg(metavar='RUN')]
    """Folder of the run; its checkpoints/ holds one folder per checkpoint, named after its frames, and its
    metrics.csv, if there is one, tells after how many seconds that was."""
    against: Annotated[tuple[str, ...], arg(metavar='AGENT ...')] = ('random', 'rule')
    """The fixed opponents."""
    points: Annotated[int, AtLeast(1), arg(metavar='N')] = 8
    """Play at most so many checkpoints, evenly spaced from the first to the last."""
    others: Literal['all', 'last', 'none'] = 'all'
    """Play all checkpoints against each other, the last against each earlier one, or none of them."""
    kind: Annotated[str | None, arg(metavar='NAME')] = None
    """What plays the checkpoints, the word before the colon in an agent's name; their settings.json tells."""
    options: Annotated[tuple[str, ...], arg(metavar='WORD ...')] = ()
    """What follows the checkpoints' names, as in --options greedy."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.checkpoints:
            raise ConfigError(f'run={self.folder_of_run}: {self.folder_of_run / "checkpoints"} holds no checkpoints')
        if not self.pairs():
            raise ConfigError('nothing to play: name an opponent by --against, or let more checkpoints play each other')
        self.report.called(self.against)

    @property
    def checkpoints(self) -> list[Path]:
        """The folders of the checkpoints to play, the earliest first."""
        found = (path.parent for path in (self.folder_of_run / 'checkpoints').glob('*/settings.json'))
        kept = [path for path in found if path.name.isdecimal()]
        kept.sort(key=lambda path: int(path.name))
        spaced = np.linspace(len(kept) - 1, 0, min(self.points, len(kept))).round().astype(int)
        return [kept[place] for place in reversed(spaced)]

    def players(self) -> list[str]:
        """Return the names of the checkpoints as agents; ConfigError if nothing tells what plays them."""
        kind = self.kind or _kind(self.checkpoints[-1] / 'settings.json')
        return [','.join((f'{kind}:{path}', *self.options)) for path in self.checkpoints]

    def pairs(self) -> list[tuple[int, int]]:
        """Return (agent, field) index pairs to play; indices count the checkpoints, then the fixed opponents."""
        count = len(self.checkpoints)
        last = count - 1
        among = {'all': range(count), 'last': range(last, count), 'none': range(0)}[self.others]
        return [
            (agent, field)
            for agent in range(count)
            for field in range(0 if agent in among else count, count + len(self.against))
            if field != agent
        ]

    def minutes(self, labels: list[str]) -> list[float | None]:
        """Return after how many minutes of training each checkpoint was made; None if nothing tells."""
        path = self.folder_of_run / 'metrics.csv'
        rows = _read_times(path) if path.exists() else []
        return [float(np.interp(int(label), *np.transpose(rows))) if rows else None for label in labels]


def curve_command(options: CurveOptions, watch: Watch) -> None:
    """Play and report a learning curve; write it as CSV and PNG."""
    console, against = new_console(), options.report.called(options.against)
    labels = [path.name for path in options.checkpoints]
    minutes = options.minutes(labels)
    pairs = options.pairs()
    seats = np.concatenate([BIG2.seatings(*pair) for pair in pairs])
    plan = options.plan((*options.players(), *options.against), seats, options.game.make_deals())
    with played(f'curve of {options.folder_of_run}', plan, options, console, watch) as (outcome, report, folder):
        matches = dict(zip(pairs, matches_of(BIG2, outcome), strict=True))
        report.sections = [_fixed(labels, against, matches, options.others == 'all')]
        report.sections += [_each_other(labels, matches)] if options.others != 'none' else []
        report.notes.append(f'{len(plan.deals)} deals.')
        replace(folder / 'curve.csv', lambda path: write_points(path, _points(labels, against, minutes, matches)))
        finish(report, folder, console, _figures(options, labels, report.sections[0], matches))


def _figures(
    options: CurveOptions, labels: list[str], fixed: Section, matches: Matches
) -> dict[str, Callable[[Path], bool]]:
    """Return what draws the curve, and how the last checkpoint plays against the earlier ones."""
    lines = {'curve': partial(draw_lines, lines=lines_of(fixed), label=f'{EV},\nagainst three of the opponent')}
    if options.others != 'none':
        last = {f'of the last, {labels[-1]}': _final(labels, matches)}
        across, label = f'{FRAMES} by the earlier checkpoint', f'{EV},\nagainst three of an earlier checkpoint'
        lines['final'] = partial(draw_lines, lines=last, across=across, label=label)
    return {f'{name}.{kind}': draw for name, draw in lines.items() for kind in options.report.figures}


def _kind(path: Path) -> str:
    """Return what plays a checkpoint, which its settings tell; ConfigError if they do not."""
    try:
        return str(parse_json(path, read_file(path))['agent'])
    except (FileError, TypeError, KeyError, IndexError) as error:
        raise ConfigError(f'{path} tells of no agent ({describe(error)}): say which plays by --kind NAME') from error


def _read_times(path: Path) -> list[tuple[float, float]]:
    """Return frames and minutes of a run's metrics, ascending; ConfigError if they do not tell."""
    try:
        lines = csv.DictReader(StringIO(read_file(path, LARGEST_METRICS).decode(), newline=''))
        return sorted((float(row['frames']), float(row['seconds']) / 60) for row in lines)
    except (FileError, csv.Error, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f'{path} does not tell frames and seconds: {describe(error)}') from error


def _points(labels: list[str], against: tuple[str, ...], minutes: list[float | None], matches: Matches) -> list[Point]:
    opponents = [*labels, *against]
    return [
        Point.of_match(match, minutes[agent], int(labels[agent]), opponents[field])
        for (agent, field), match in matches.items()
    ]


def _fixed(labels: list[str], against: tuple[str, ...], matches: Matches, others: bool) -> Section:
    """Return EV against three of each fixed opponent, and on average against three of each of the others."""
    count = len(labels)
    rows = []
    for agent, label in enumerate(labels):
        cells: list[Estimate | None] = [matches[agent, count + place].result.ev for place in range(len(against))]
        if others:
            rest = [matches[agent, field] for field in range(count) if field != agent]
            cells.append(join_matches(rest).result.ev if rest else None)
        rows.append(Row(label, tuple(cells)))
    columns = (*against, *[OTHERS] * others)
    return Section('EV of the checkpoint (row) against three of the column', columns, tuple(rows))


def _each_other(labels: list[str], matches: Matches) -> Section:
    places = range(len(labels))
    evs = {pair: match.result.ev for pair, match in matches.items() if pair[1] < len(labels)}
    rows = [Row(label, tuple(evs.get((agent, field)) for field in places)) for agent, label in enumerate(labels)]
    return Section('EV of the checkpoint (row) against three of another (column)', tuple(labels), tuple(rows))


def _final(labels: list[str], matches: Matches) -> list[tuple[float, Estimate]]:
    """Return EV of the last checkpoint against three of each earlier one, by the million frames of that one."""
    last = len(labels) - 1
    return [(int(label) / 1e6, matches[last, field].result.ev) for field, label in enumerate(labels[:-1])]


def lines_of(section: Section) -> dict[str, list[tuple[float, Estimate]]]:
    """Return a line per column of a table whose rows are checkpoints."""
    return {
        column: [(int(row.name) / 1e6, cell) for row in section.rows if (cell := row.cells[place]) is not None]
        for place, column in enumerate(section.columns)
    }
