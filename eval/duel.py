"""`match`: one agent against three of another, or two agents against the same field."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console

from eval.match import seatings, seen_from_seats
from eval.options import Options
from eval.report import RESULT_COLUMNS, Report, Section, match_note, match_section, result_row
from eval.runner import Plan
from eval.session import finish, play_plan
from eval.statistics import difference, overall
from eval.table import Outcome
from rlcard_big2.errors import ConfigError
from rlcard_big2.rules import Rules

MOST_DEALS = 200_000  # that --precision plays


@dataclass(frozen=True)
class MatchOptions(Options):
    """Play one agent in each of the four seats against three of another, the same deals in every seat."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional] = ()
    """A B: the agent to measure and its field. With --paired, the field alone."""
    paired: tuple[str, str] | None = None
    """A1 A2: compare these two on the same deals against the same field."""
    precision: float | None = None
    """Play until the 95 % interval of EV is at most this far to each side."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.agents) != (1 if self.paired else 2):
            usage = 'big2-eval match FIELD --paired A1 A2' if self.paired else 'big2-eval match A B'
            raise ConfigError(f'agents={" ".join(self.agents) or "none"}: write {usage}')
        if self.precision is not None and not self.precision > 0:
            raise ConfigError(f'precision={self.precision}: it must be above 0')


def match_command(options: MatchOptions) -> None:
    """Play and report a match."""
    console = Console()
    compared, field = options.paired or options.agents[:1], options.agents[-1]
    names = (*compared, field)
    seats = np.concatenate([seatings(agent, len(compared)) for agent in range(len(compared))])
    most = MOST_DEALS if options.precision and options.deals_file is None else None
    plan = Plan(names, seats, Rules.preset(options.rules), options.make_deals(most), options.seed, options.seconds)
    title = f'{" and ".join(compared)} against three of {field}'
    folder = options.folder(title)
    outcome = play_plan(plan, options, folder, console, lambda so_far: _is_precise(so_far, options))
    finish(_report(title, plan, options, outcome), folder, console)


def _is_precise(so_far: Outcome, options: MatchOptions) -> bool:
    if options.precision is None:
        return False
    matches = [seen_from_seats(part) for part in _split(so_far)]
    result = overall(matches[0]) if len(matches) == 1 else difference(*matches)
    return result.ev.margin <= options.precision


def _split(outcome: Outcome) -> list[Outcome]:
    """Split the games of a plan into those of each agent compared, four seatings each."""
    return [Outcome(*(part[:, g : g + 4] for part in outcome)) for g in range(0, outcome.plies.shape[1], 4)]


def _report(title: str, plan: Plan, options: MatchOptions, outcome: Outcome) -> Report:
    report = Report(f'{title}, rules {options.rules}', plan.describe())
    matches = [seen_from_seats(part) for part in _split(outcome)]
    for name, match in zip(plan.agents, matches, strict=False):
        report.sections.append(match_section(f'{name} against three of {plan.agents[-1]}', match))
        report.notes.append(f'{name}: {match_note(match)}')
    if len(matches) == 2:
        rows = [result_row(name, overall(match)) for name, match in zip(plan.agents, matches, strict=False)]
        rows.append(result_row('difference', difference(*matches)))
        report.sections.append(Section('paired on the same deals', RESULT_COLUMNS, tuple(rows)))
    return report
