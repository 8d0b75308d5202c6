"""Interface between the evaluation and a game: its agents, and the statistics and tables of its matches."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from typing_extensions import Self

from eval.explain.groups import Grouping
from eval.explain.pairs import Divergences, Pairs
from eval.points import Point
from eval.tables import Columns, Row, Section
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.deals import deal_from_seed
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.records import Format
from rlcard_kit.registry import AgentRegistry
from rlcard_kit.rules import Rulebook
from rlcard_kit.statistics import Estimate, estimate

Pair = tuple[int, int]  # indices of an agent and of its opponent in a plan


class Panel(NamedTuple):
    """A panel of the figures over the checkpoints of a run."""

    title: str
    figures: tuple[str, ...]
    has_both: bool = True  # also the opponent's figures


class EvaluatedGame(ABC):
    """A game whose agents are evaluated."""

    card: CardGame
    """Its names, sizes and kernels."""
    title: ClassVar[str]
    """Its name in reports."""
    names: ClassVar[AgentRegistry]
    """Its agents by name."""
    presets: ClassVar[Mapping[str, Rulebook]]
    """Its rules by name; the first are the default."""
    ladder: ClassVar[tuple[str, ...]] = ()
    """The default rules of a ladder, if they are not the first of `presets` alone."""
    baselines: ClassVar[tuple[str, ...]]
    """The default opponents of a curve."""
    opponents: str
    """The number of seats of a match's opponent, in words."""
    seated: ClassVar[str]
    """The seatings of a match, in words, as its note has them."""
    shares: ClassVar[str]
    """The figure that is a share of games won."""
    headline: ClassVar[str]
    """The main figure, to which --precision refers."""
    axis: ClassVar[str]
    """The headline with its unit, for figures."""
    unit: ClassVar[str]
    """The unit of the headline."""
    counted: ClassVar[str] = 'points'
    """The unit of payoffs and of the agents' values."""
    compared: ClassVar[tuple[str, ...]]
    """The figures that a curve shows of each checkpoint."""
    panels: ClassVar[tuple[Panel, ...]] = ()
    """Panels that a curve draws in addition to the headline."""
    legend: ClassVar[str]
    """Definitions of the figures."""
    game_groups: ClassVar[Mapping[str, Callable[[Pairs], Grouping]]] = {}
    """Functions that group the games of two agents, by keys, which name figures."""
    divergence_groups: ClassVar[Mapping[str, Callable[[Pairs, Divergences], Grouping]]] = {}
    """Functions that group the decisions at which two agents diverge, likewise; by phase first."""
    explained: ClassVar[tuple[str, ...]] = ()
    """Notes on its groups of games, and on its records, in the report of `explain`."""
    records: ClassVar[Format[Any]]
    """The format of its records."""
    place: ClassVar[str]
    """The key of a record that holds the numbers of its deal and its seating."""

    @staticmethod
    @abstractmethod
    def save_deals(path: Path, deals: Deals) -> None:
        """Write deals, [D], to a file."""

    @abstractmethod
    def load_deals(self, path: Path) -> Deals:
        """Read deals, [D]; HandsError names the file and the first deal that is wrong."""

    @staticmethod
    @abstractmethod
    def play_match(agent: Any, opponent: Any, deals: int, rules: Any, seed: int, /) -> Any:
        """Play a match of an agent against an opponent."""

    def for_rules(self, rules: Any) -> Self:
        """Return this game with the seats and cards of some rules: most games have one size alone."""
        return self

    def find_rules(self, text: str | None) -> Rulebook:
        """Return rules by their text, the default if it is None; RulesError lists the presets."""
        rules: Rulebook = self.card.find_rules(next(iter(self.presets)) if text is None else text)
        return rules

    def make_agent(self, name: str, rules: Any) -> Any:
        """Make an agent by its name; AgentNameError lists the names."""
        return self.names.make(name, rules)

    def deal(self, seed: int, count: int) -> Deals:
        """Deal `count` times; return deals, [count]. Deal d of a seed does not depend on `count`."""
        return deal_from_seed(self.card, seed, count)

    @abstractmethod
    def record(self, deal: Deals, moves: Sequence[int], rules: Any, **about: Any) -> Any:
        """Return the record of a game, given its deal, [1]; `about`: 'payoffs', 'seats' and 'extra' of the record."""

    def duels(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the pairs to play to have the matches of all pairs."""
        return list(pairs)

    def seatings(self, pairs: Sequence[Pair]) -> Int64Array:
        """Return the seatings of pairs, int64 [G, seats]."""
        return np.concatenate([self.card.seatings(*pair) for pair in pairs])

    @abstractmethod
    def matches(self, pairs: Sequence[Pair], outcome: Outcome, rules: Any) -> dict[Pair, Any]:
        """Return the matches of pairs, given the outcome of their seatings."""

    @abstractmethod
    def by_deal(self, match: Any) -> Columns:
        """Return the agent's figures in a match."""

    @abstractmethod
    def table(self, title: str, names: tuple[str, str], match: Any) -> Section:
        """Return a match as a table; the names are those of the agent and of its opponent."""

    def matrix(self, title: str, names: Sequence[str], matches: Mapping[Pair, Any], figure: str) -> Section:
        """Return a figure of each agent (row) against each other (column) as a table."""
        places = range(len(names))
        cells = {pair: self.estimate(match, figure) for pair, match in matches.items() if max(pair) in places}
        rows = [Row(name, tuple(cells.get((agent, field)) for field in places)) for agent, name in enumerate(names)]
        return Section(title, tuple(names), tuple(rows))

    def note(self, match: Any) -> str:
        """Return a sentence on the variance that duplicate deals removed."""
        return (
            f'{match.num_deals} deals, each {self.seated}, removed {match.variance_removed():.0%} of the variance of '
            f'as many games of independent deals.'
        )

    def gains(self, payoffs: Int64Array) -> Int64Array:
        """Return the values whose mean is the headline, int64 [..., seats], from payoffs, int64 [..., seats]."""
        return payoffs

    @abstractmethod
    def mixed_tables(self, count: int) -> Int64Array:
        """Return seatings of different agents, int64 [G, seats], for a ranking; none if pairs are ranked."""

    def against(self, name: str) -> str:
        """Return the opponents in words: 'three of rule'."""
        return f'{self.opponents} of {name}'

    def estimate(self, match: Any, name: str = '') -> Estimate:
        """Return a figure of a match, the headline by default."""
        return estimate(self.by_deal(match)[name or self.headline])

    def point(self, match: Any, minutes: float | None, frames: int, opponent: str) -> Point:
        """Return the match as a point of a learning curve."""
        shares, headline = (self.estimate(match, name) for name in (self.shares, self.headline))
        return Point(minutes, frames, opponent, match.num_deals, shares, headline)
