"""`match`: one agent against another, or two agents against the same opponent."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil, isfinite
from pathlib import Path
from typing import Annotated

import numpy as np
from typing_extensions import override
from tyro.conf import Positional

from eval.common.cli import option
from eval.figures import draw_column, draw_shares
from eval.game import DuplicateMatch
from eval.options import DEALS, Options
from eval.runner import run_match
from eval.tables import Listing, differences, paired
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.bounds import Above
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.errors import ConfigError
from rlcard_kit.files import replace
from rlcard_kit.statistics import estimate

PERCENTILES = (1, 5, 25, 50, 75, 95, 99)
PRECISE_DEALS = 200_000  # that --precision plays at most, by default


@dataclass(frozen=True, kw_only=True)
class MatchOptions(Options):
    """Seat A in every seat against copies of B; in partnership games, two of A play two of B.

    The same deals are played in all seatings.

    Try
      match greedy random --deals 15000
      match dmc:runs/dmc rule --precision 0.1
      match rule --paired dmc:runs/one dmc:runs/two
      match catch5-ppo rule --rules march
    """

    agents: Annotated[tuple[str, ...], Positional, option('A B')]
    """The agent to measure and its opponent. With --paired, the opponent alone."""
    paired: Annotated[tuple[str, str] | None, option('A1 A2')] = None
    """Compare these two on the same deals against the same opponent."""
    precision: Annotated[float | None, Above(0), option('MARGIN')] = None
    """Play until half of the 95 % interval is at most this: of EV, of the score difference, or with --paired of the
    difference in these. --deals is an upper limit."""
    record: Annotated[Path | None, option('FILE')] = None
    """Append every game to this file, one JSON object a line, see docs/records.md; games in it are not repeated."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.agents) != (1 if self.paired else 2):
            name = 'one, the opponent of --paired A1 A2' if self.paired else 'two, as in match A B'
            raise ConfigError(f'agents={" ".join(self.agents) or "none"}: name {name}')
        if self.record is not None:
            self.evaluated.require('records', f'record={self.record}')

    @property
    @override
    def names(self) -> tuple[str, ...]:
        """The agents that play, the opponent last."""
        return (*(self.paired or self.agents[:1]), *self.agents[-1:])


def match_command(options: MatchOptions) -> None:
    """Play and report a match."""
    game, precision = options.evaluated, options.precision
    *compared, opponent = options.report.labels(options.names)
    pairs = [(agent, len(compared)) for agent in range(len(compared))]
    deals = options.game.make_deals(PRECISE_DEALS if precision else DEALS)
    plan = options.plan(options.names, game.seatings(pairs), deals, keep_moves=options.record is not None)
    title = f'{" and ".join(compared)} against {game.against(opponent)}'

    def measured(outcome: Outcome) -> list[DuplicateMatch]:
        matches = game.matches(pairs, outcome, plan.rules)
        return [matches[pair] for pair in pairs]

    def needed(so_far: Outcome) -> int:
        first, *second = map(game.by_deal, measured(so_far))
        columns = differences(first, *second) if second else first
        return deals_needed(columns[game.wording.headline], precision or 0.0)

    result = run_match(plan, options, title, needed if precision else None, options.record)
    report, matches = result.report, measured(result.outcome)
    for name, match in zip(compared, matches, strict=True):
        report.sections.append(game.table(f'{name} against {game.against(opponent)}', (name, opponent), match))
        report.notes.append(f'{name}: {game.note(match)}')
    if options.paired:
        figures = [game.by_deal(match) for match in matches]
        report.sections.append(paired('paired on the same deals', compared, figures, game.wording.shares))
    gains = game.gains(result.outcome.payoffs)
    payoffs = {name: gains[:, plan.seatings == agent] for agent, name in enumerate((*compared, opponent))}
    report.listings.append(_percentiles(payoffs, game.wording.unit))
    shares = {name: shares_of(of_agent) for name, of_agent in payoffs.items()}
    replace(result.folder / 'payoffs.csv', partial(_write_shares, shares))
    draw = {
        'report': partial(draw_column, report.sections[-1], game.wording.headline, game.wording.axis),
        'payoffs': partial(draw_shares, shares=shares, label=game.wording.unit, title=f'payoffs of {title}'),
    }
    result.publish(draw, options.report.figures)


def deals_needed(so_far: Float64Array, precision: float) -> int:
    """Estimate how many deals it takes until half of the interval is at most `precision`, given those so far, [D]."""
    margin = estimate(so_far).margin
    return ceil(len(so_far) * (margin / precision) ** 2) if isfinite(margin) else len(so_far) + 1


def _percentiles(payoffs: Mapping[str, Int64Array], unit: str) -> Listing:
    rows = [(name, *(f'{x:g}' for x in np.percentile(of_agent, PERCENTILES))) for name, of_agent in payoffs.items()]
    heads = ('', *(f'{percent} %' for percent in PERCENTILES))
    return Listing(f'payoffs of single games: percentiles in {unit}', heads, tuple(rows))


def shares_of(payoffs: Int64Array) -> dict[int, float]:
    """Return the share of games with each payoff that occurs."""
    values, counts = np.unique(payoffs, return_counts=True)
    return dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))


def _write_shares(shares: Mapping[str, Mapping[int, float]], path: Path) -> None:
    with path.open('w', encoding='utf-8', newline='') as file:
        lines = csv.writer(file)
        lines.writerow(('player', 'payoff', 'share'))
        lines.writerows((name, *pair) for name, by_payoff in shares.items() for pair in by_payoff.items())
