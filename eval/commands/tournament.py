"""`tournament`: every agent against three of every other, and tables of different agents in all seatings."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations, product
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce
from tyro.conf import Positional, arg

from common.cli import new_console
from eval.console import finish, played
from eval.options import Options
from eval.report import draw_column
from eval.tables import Row, Section
from rlcard_big2.duplicate.limits import Watch
from rlcard_big2.duplicate.match import matches_of
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.errors import ConfigError
from rlcard_big2.intervals import Z95, Estimate, estimate
from rlcard_big2.lockstep.arrays import Int64Array

SKILL_NOTE = (
    "Skill: Plackett-Luce rating (openskill) by the places in each game; its ± is 1.96 of the model's own sigmas."
)


@dataclass(frozen=True, kw_only=True)
class TournamentOptions(Options):
    """Play agents against three of each other, and at mixed tables in all seatings; rank them.

    Try
      tournament random greedy rule dmc:runs/dmc
      tournament rule dmc:runs/one dmc:runs/two --deals 5000 --rules hong-kong
    """

    agents: Annotated[tuple[str, ...], Positional, arg(metavar='A B ...')]
    """The agents, at least two, all different."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.agents) < 2 or len(set(self.agents)) < len(self.agents):
            raise ConfigError(f'agents={" ".join(self.agents) or "none"}: name at least two, all different')
        self.report.called(self.agents)


def tournament_command(options: TournamentOptions, watch: Watch) -> None:
    """Play and report a tournament."""
    console, names = new_console(), options.report.called(options.agents)
    pairs = list(permutations(range(len(names)), 2))
    duels = np.concatenate([BIG2.seatings(agent, field) for agent, field in pairs])
    mixed = mixed_tables(len(names))
    plan = options.plan(options.agents, np.concatenate([duels, mixed]), options.game.make_deals())
    with played(f'tournament of {", ".join(names)}', plan, options, console, watch) as (outcome, report, folder):
        matches = matches_of(BIG2, outcome.of_seatings(slice(len(duels))))
        evs = {pair: match.ev for pair, match in zip(pairs, matches, strict=True)}
        at_mixed = outcome.of_seatings(slice(len(duels), None)).payoffs
        ranks = ranking(names, mixed, at_mixed)
        report.sections = [payoff_matrix(names, evs), ranks]
        report.notes += [f'{len(plan.deals)} deals.', SKILL_NOTE, *differences(names, mixed, at_mixed)]
        figures = {f'report.{kind}': partial(draw_column, ranks, 'EV') for kind in options.report.figures}
        finish(report, folder, console, figures)


def mixed_tables(count: int) -> Int64Array:
    """Return all seatings of tables of as many different agents as there are, up to four, int64 [G, 4]."""
    if count >= NUM_PLAYERS:
        tables: Iterator[tuple[int, ...]] = (
            seats for chosen in combinations(range(count), NUM_PLAYERS) for seats in permutations(chosen)
        )
    else:
        tables = (seats for seats in product(range(count), repeat=NUM_PLAYERS) if _is_even(seats, count))
    return np.array(list(tables))


def _is_even(seats: tuple[int, ...], count: int) -> bool:
    """Tell whether a table of fewer than four agents has each at least once, and none more than twice."""
    seen = Counter(seats)
    return len(seen) == count and max(seen.values()) == 2


def payoff_matrix(names: tuple[str, ...], evs: dict[tuple[int, int], Estimate]) -> Section:
    """Return EV of each agent (row) against three of each other (column) as a table, from EV by their indices."""
    count = range(len(names))
    rows = [Row(name, tuple(evs.get((agent, field)) for field in count)) for agent, name in enumerate(names)]
    return Section('EV of the row against three of the column', names, tuple(rows))


def payoffs_by_agent(count: int, tables: Int64Array, payoffs: Int64Array) -> NDArray[np.float64]:
    """Return each agent's mean payoff by deal, float64 [D, count], from payoffs [D, G, 4] at tables [G, 4]."""
    return np.stack([payoffs[:, tables == agent].mean(axis=1) for agent in range(count)], axis=1)


def ranking(names: tuple[str, ...], tables: Int64Array, payoffs: Int64Array) -> Section:
    """Return EV and skill at the mixed tables, the strongest agent first.

    Skill is Plackett-Luce's (Weng and Lin 2011): an agent's place in a game follows its payoff there.
    """
    model = PlackettLuce()
    ratings = [model.rating() for _ in names]
    for deal in payoffs:
        for table, game in zip(tables, deal, strict=True):
            present = sorted(set(table.tolist()))
            ranks = [-float(game[table == agent].mean()) for agent in present]
            rated = model.rate([[ratings[agent]] for agent in present], ranks=ranks)
            for agent, (rating,) in zip(present, rated, strict=True):
                ratings[agent] = rating
    by_deal = payoffs_by_agent(len(names), tables, payoffs)
    rows = [
        Row(name, (Estimate(ratings[agent].mu, Z95 * ratings[agent].sigma), estimate(by_deal[:, agent])))
        for agent, name in enumerate(names)
    ]
    rows.sort(key=lambda row: -row.cells[1].mean if row.cells[1] else 0.0)
    return Section('mixed tables', ('skill', 'EV'), tuple(rows))


def differences(names: tuple[str, ...], tables: Int64Array, payoffs: Int64Array) -> list[str]:
    """Say of each pair whether the mixed tables tell them apart, at 95 % for all pairs together (Bonferroni)."""
    by_deal = payoffs_by_agent(len(names), tables, payoffs)
    pairs = list(combinations(range(len(names)), 2))
    sentences = []
    for one, other in pairs:
        mean, margin = estimate(by_deal[:, one] - by_deal[:, other], 1 - 0.05 / len(pairs))
        better, worse = (one, other) if mean > 0 else (other, one)
        found = Estimate(abs(mean), margin)
        verdict = 'is better than' if found.is_significant else 'cannot be told from'
        sentences.append(f'{names[better]} {verdict} {names[worse]}: {found} cards a game.')
    return sentences
