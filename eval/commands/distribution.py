"""`distribution`: the payoffs of single games, as Charlesworth's figure 5 has them."""

import csv
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
from typing_extensions import override
from tyro.conf import Positional, arg

from eval.figures import draw_shares
from eval.options import DEALS, Options
from eval.runner import run_match
from eval.tables import Listing, Section, row
from rlcard_kit.arrays import BoolArray, Float64Array, Int64Array
from rlcard_kit.files import replace

PERCENTILES = (1, 5, 25, 50, 75, 95, 99)


@dataclass(frozen=True, kw_only=True)
class DistributionOptions(Options):
    """Play A against B as `match` does, and report the distribution of the payoffs of single games.

    Try
      distribution big2-dmc published-ppo:FILE --deals 250000
      distribution random random --deals 250000
    """

    agents: Annotated[tuple[str, str], Positional, arg(metavar='A B')]
    """The agent and its opponent."""

    @property
    @override
    def names(self) -> tuple[str, ...]:
        """The agents that play, the opponent last."""
        return self.agents


def distribution_command(options: DistributionOptions) -> None:
    """Play a match; report and draw how often each payoff occurs."""
    game, names = options.evaluated, options.report.labels(options.names)
    seatings = game.seatings([(0, 1)])
    plan = options.plan(options.names, seatings, options.game.make_deals(DEALS))
    title = f'payoffs of {names[0]} against {game.against(names[1])}'
    result = run_match(plan, options, title)
    gains, wins = game.gains(result.outcome.payoffs), game.card.wins(result.outcome.payoffs)
    payoffs = {name: gains[:, seatings == side] for side, name in enumerate(names)}
    figures = [_figures(found, wins[:, seatings == side]) for side, found in enumerate(payoffs.values())]
    rows = [row(name, found) for name, found in zip(names, figures, strict=True)]
    result.report.sections.append(Section(title, tuple(figures[0]), tuple(rows)))
    listed = [(name, *(f'{value:g}' for value in np.percentile(found, PERCENTILES))) for name, found in payoffs.items()]
    columns = ('', *(f'{percent} %' for percent in PERCENTILES))
    result.report.listings.append(Listing(f'percentiles in {game.unit}', columns, tuple(listed)))
    shares = {name: shares_of(found) for name, found in payoffs.items()}
    replace(result.folder / 'distribution.csv', partial(_write, shares))
    draw = partial(draw_shares, shares=shares, label=game.unit, title=title)
    result.publish({f'report.{kind}': draw for kind in options.report.figures})


def shares_of(payoffs: Int64Array) -> dict[int, float]:
    """Return the share of games with each payoff that occurs."""
    values, counts = np.unique(payoffs, return_counts=True)
    return dict(zip(values.tolist(), (counts / counts.sum()).tolist(), strict=True))


def _figures(payoffs: Int64Array, wins: BoolArray) -> dict[str, Float64Array]:
    """Return figures by deal, [D], of the payoffs of its games, [D, K], and of the games that are won, likewise."""
    return {
        'mean': payoffs.mean(axis=1),
        'share won': wins.mean(axis=1),
        'mean of squares': (payoffs.astype(np.float64) ** 2).mean(axis=1),
    }


def _write(shares: dict[str, dict[int, float]], path: Path) -> None:
    with path.open('w', encoding='utf-8', newline='') as file:
        lines = csv.writer(file)
        lines.writerow(('player', 'payoff', 'share'))
        lines.writerows((name, *pair) for name, found in shares.items() for pair in found.items())
