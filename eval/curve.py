"""`curve`: how the checkpoints of a training run play against fixed opponents and against each other."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console

from eval.match import seatings, seen_from_seats
from eval.options import Options
from eval.report import Report, Row, Section
from eval.runner import Plan
from eval.session import finish, play_plan
from eval.statistics import Result, overall
from eval.table import Outcome
from rlcard_big2.errors import ConfigError
from rlcard_big2.rules import Rules


@dataclass(frozen=True)
class CurveOptions(Options):
    """Play the checkpoints of a training run against fixed opponents and against its last one."""

    run: Annotated[Path, tyro.conf.Positional] = Path()
    """Folder of the run; its checkpoints/ holds one folder per checkpoint."""
    against: tuple[str, ...] = ('random', 'rule')
    """The fixed opponents."""
    kind: str = 'dmc'
    """What plays the checkpoints: the word before the colon in an agent's name."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.checkpoints:
            raise ConfigError(f'run={self.run}: {self.run / "checkpoints"} holds no checkpoints')

    @property
    def checkpoints(self) -> list[Path]:
        """The folders of the checkpoints, the earliest first."""
        return sorted(path for path in (self.run / 'checkpoints').glob('*') if path.is_dir())


def curve_command(options: CurveOptions) -> None:
    """Play and report a learning curve; write it as CSV and PNG."""
    console = Console()
    names = [f'{options.kind}:{path}' for path in options.checkpoints]
    fields = [*options.against, names[-1]]
    plan = _plan(options, names, fields)
    title = f'curve of {options.run}'
    folder = options.folder(title)
    outcome = play_plan(plan, options, folder, console)
    results = _results(outcome, len(names), len(fields))
    columns = (*options.against, 'its last checkpoint')
    labels = [path.name for path in options.checkpoints]
    rows = [Row(label, tuple(result.ev for result in row)) for label, row in zip(labels, results, strict=True)]
    report = Report(title, plan.describe(), [Section('EV of the checkpoint against three of', columns, tuple(rows))])
    write_csv(folder / 'curve.csv', labels, columns, results)
    draw_curve(folder / 'curve.png', labels, columns, results)
    finish(report, folder, console, plot=None)


def _plan(options: CurveOptions, names: list[str], fields: list[str]) -> Plan:
    agents = [*names, *fields[:-1]]
    field_places = [*range(len(names), len(agents)), len(names) - 1]
    seats = np.concatenate([seatings(agent, field) for agent in range(len(names)) for field in field_places])
    rules = Rules.preset(options.rules)
    return Plan(tuple(agents), seats, rules, options.make_deals(), options.seed, options.seconds)


def _results(outcome: Outcome, checkpoints: int, fields: int) -> list[list[Result]]:
    """Return a result per checkpoint and field."""
    results = [
        overall(seen_from_seats(Outcome(*(part[:, first : first + 4] for part in outcome))))
        for first in range(0, checkpoints * fields * 4, 4)
    ]
    return [results[i : i + fields] for i in range(0, len(results), fields)]


def write_csv(path: Path, labels: list[str], columns: tuple[str, ...], results: list[list[Result]]) -> None:
    """Write a line per checkpoint and opponent: WP and EV, each with half of its 95 % interval."""
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(('checkpoint', 'opponent', 'wp', 'wp_margin', 'ev', 'ev_margin'))
        for label, row in zip(labels, results, strict=True):
            for column, result in zip(columns, row, strict=True):
                writer.writerow((label, column, *result.wp, *result.ev))


def draw_curve(path: Path, labels: list[str], columns: tuple[str, ...], results: list[list[Result]]) -> bool:
    """Draw EV over the checkpoints, a line per opponent, into a PNG; False where matplotlib is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(8, 4.5), layout='constrained')
    axes = figure.subplots()
    frames = [float(label) / 1e6 for label in labels]
    for place, column in enumerate(columns):
        evs = [row[place].ev for row in results]
        axes.errorbar(frames, [ev.mean for ev in evs], [ev.margin for ev in evs], marker='o', capsize=3, label=column)
    axes.axhline(0, linewidth=0.8, color='grey')
    axes.set(xlabel='million frames learned from', ylabel='EV against three of them (95 % intervals)')
    axes.legend()
    figure.savefig(path, dpi=150)
    return True
