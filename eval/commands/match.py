"""`match`: one agent against three of another, or two agents against the same field."""

from dataclasses import dataclass
from functools import partial
from math import ceil
from pathlib import Path
from typing import Annotated

import numpy as np
from tyro.conf import Positional, arg

from common.bounds import Above
from common.cli import new_console
from eval.console import finish, played
from eval.options import DEALS, Options
from eval.report import Report, draw_column, match_note, match_section, result_columns, result_row
from eval.tables import Section
from rlcard_big2.duplicate.block import Outcome
from rlcard_big2.duplicate.limits import Watch
from rlcard_big2.duplicate.match import Match, difference, matches_of
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.errors import ConfigError
from rlcard_big2.intervals import Estimate

PRECISE_DEALS = 200_000  # that --precision plays at most, by default


@dataclass(frozen=True, kw_only=True)
class MatchOptions(Options):
    """Play A in each of the four seats against three of B, the same deals in every seat.

    Try
      match greedy random --deals 15000
      match dmc:runs/dmc rule --precision 0.1
      match rule --paired dmc:runs/one dmc:runs/two
    """

    agents: Annotated[tuple[str, ...], Positional, arg(metavar='A B')]
    """The agent to measure and its field. With --paired, the field alone."""
    paired: Annotated[tuple[str, str] | None, arg(metavar='A1 A2')] = None
    """Compare these two on the same deals against the same field."""
    precision: Annotated[float | None, Above(0), arg(metavar='MARGIN')] = None
    """Play until the 95 % interval, of EV or of the difference, is at most this far to each side; --deals caps it."""
    record: Annotated[Path | None, arg(metavar='FILE')] = None
    """Append every game to this file, one JSON object a line, see docs/records.md; games in it are not repeated."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.agents) != (1 if self.paired else 2):
            usage = f'python -m eval match {"FIELD --paired A1 A2" if self.paired else "A B"}'
            raise ConfigError(f'agents={" ".join(self.agents) or "none"}: write {usage}')
        self.report.called(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The agents that play, the field last."""
        return (*(self.paired or self.agents[:1]), self.agents[-1])


def match_command(options: MatchOptions, watch: Watch) -> None:
    """Play and report a match."""
    names = options.names
    *compared, field = options.report.called(names)
    seats = np.concatenate([BIG2.seatings(agent, len(compared)) for agent in range(len(compared))])
    deals = options.game.make_deals(PRECISE_DEALS if options.precision else DEALS)
    plan = options.plan(names, seats, deals, keep_moves=options.record is not None)
    title = f'{" and ".join(compared)} against three of {field}'
    precision, console = options.precision, new_console()
    needed = None if precision is None else lambda so_far: deals_needed(so_far, precision)
    with played(title, plan, options, console, watch, needed, options.record) as (outcome, report, folder):
        _fill(report, (*compared, field), matches_of(BIG2, outcome))
        last = report.sections[-1]
        figures = {f'report.{kind}': partial(draw_column, last, 'EV') for kind in options.report.figures}
        finish(report, folder, console, figures)


def deals_needed(so_far: Outcome, precision: float) -> int:
    """Estimate how many deals it takes until half of the interval is at most `precision`."""
    margin = _measured(matches_of(BIG2, so_far)).margin
    return ceil(len(so_far.plies) * (margin / precision) ** 2)


def _measured(matches: list[Match]) -> Estimate:
    """Return EV, or its difference if two agents are compared."""
    return (matches[0].result if len(matches) == 1 else difference(*matches)).ev


def _fill(report: Report, names: tuple[str, ...], matches: list[Match]) -> None:
    for name, match in zip(names, matches, strict=False):
        report.sections.append(match_section(f'{name} against three of {names[-1]}', match))
        report.notes.append(f'{name}: {match_note(match)}')
    if len(matches) == 2:
        rows = [result_row(name, match.result) for name, match in zip(names, matches, strict=False)]
        rows.append(result_row('difference', difference(*matches)))
        report.sections.append(Section('paired on the same deals', result_columns(matches[0].result), tuple(rows)))
