"""`tournament`: every agent against every other, and tables of different agents in all seatings."""

from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override
from tyro.conf import Positional

from eval.common.cli import option
from eval.figures import draw_column
from eval.ladder.ratings import Games
from eval.options import Options
from eval.runner import run_match
from eval.tables import Row, Section
from rlcard_kit.arrays import Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.statistics import Estimate, estimate

RATING_NOTE = (
    'Rating: by games won, on the scale of Elo, with a mean of 0, as if each pair had also drawn a game; its ± is from '
    'samples of the deals with replacement.'
)


@dataclass(frozen=True, kw_only=True)
class TournamentOptions(Options):
    """Play agents against each other, as `match` does, and at mixed tables in all seatings; rank them.

    If partners win, the ranking is of the matches: there are no mixed tables.

    Try
      tournament random greedy rule dmc:runs/dmc
      tournament rule dmc:runs/one dmc:runs/two --deals 5000 --rules hong-kong
      tournament random pass suit rule catch5-ppo
    """

    agents: Annotated[tuple[str, ...], Positional, option('A B ...')]
    """The agents, at least two, all different."""
    mixed: bool = True
    """Also play mixed tables, and rank by these; --no-mixed ranks by the matches."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.agents) < 2 or len(set(self.agents)) < len(self.agents):
            raise ConfigError(f'agents={" ".join(self.agents) or "none"}: name at least two, all different')

    @property
    @override
    def names(self) -> tuple[str, ...]:
        return self.agents


def tournament_command(options: TournamentOptions) -> None:
    """Play and report a tournament."""
    names, game = options.report.labels(options.agents), options.evaluated
    pairs = list(permutations(range(len(names)), 2))
    duels = game.seatings(game.duels(pairs))
    mixed = game.mixed_tables(len(names)) if options.mixed else duels[:0]
    plan = options.plan(options.agents, np.concatenate([duels, mixed]), options.game.make_deals())
    result = run_match(plan, options, f'tournament of {", ".join(names)}')
    matches = game.matches(pairs, result.outcome.of_seatings(slice(len(duels))), plan.rules)
    ranked, at_ranked = (mixed, slice(len(duels), None)) if len(mixed) else (duels, slice(None))
    payoffs = result.outcome.of_seatings(at_ranked).payoffs
    won, games = game.gains(payoffs), Games.of(len(names), ranked, game.card.wins(payoffs))
    title = 'mixed tables' if len(mixed) else 'all matches'
    ranks, pools = ranking(names, ranked, won, games, title, game.wording.headline), games.pool_notes(names)
    against = game.against('the column')
    shown = game.wording.headline, *game.wording.shares
    figures = [name for name in game.by_deal(matches[pairs[0]]) if name.startswith(shown)]
    matrices = [game.matrix(f'{name} of the row against {against}', names, matches, name) for name in figures]
    result.report.sections = [*matrices, ranks]
    compared = differences(names, ranked, won, game.wording.unit)
    result.report.notes += [f'{len(plan.deals)} deals.', RATING_NOTE, *pools, *compared]
    draw = partial(draw_column, ranks, game.wording.headline, game.wording.axis)
    result.publish({'report': draw}, options.report.figures)


def payoffs_by_agent(count: int, tables: Int64Array, payoffs: Int64Array) -> NDArray[np.float64]:
    """Return each agent's mean payoff by deal, [D, count], from payoffs, [D, G, seats], at tables, [G, seats]."""
    return np.stack([payoffs[:, tables == agent].mean(axis=1) for agent in range(count)], axis=1)


def ranking(
    names: tuple[str, ...], tables: Int64Array, payoffs: Int64Array, games: Games, title: str, headline: str
) -> Section:
    """Return the rating and the headline of agents at some tables, by the headline, the strongest first."""
    by_deal = payoffs_by_agent(len(names), tables, payoffs)
    rows = [
        (rating, estimate(by_deal[:, agent]), name)
        for agent, (name, rating) in enumerate(zip(names, games.ratings(), strict=True))
    ]
    rows.sort(key=lambda row: -row[1].mean)
    return Section(title, ('rating', headline), tuple(Row(name, (rating, ev)) for rating, ev, name in rows))


def differences(names: tuple[str, ...], tables: Int64Array, payoffs: Int64Array, unit: str) -> list[str]:
    """Return a sentence on each pair: significant at 95 % for all pairs together (Bonferroni), or not."""
    by_deal = payoffs_by_agent(len(names), tables, payoffs)
    pairs = list(combinations(range(len(names)), 2))
    sentences = []
    for one, other in pairs:
        mean, margin = estimate(by_deal[:, one] - by_deal[:, other], 1 - 0.05 / len(pairs))
        better, worse = (one, other) if mean > 0 else (other, one)
        difference = Estimate(abs(mean), margin)
        verdict = 'is better than' if difference.is_significant else 'is not significantly different from'
        sentences.append(f'{names[better]} {verdict} {names[worse]}: {difference} {unit}.')
    return sentences
