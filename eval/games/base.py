"""What the evaluation asks of a game beyond a `CardGame`: its names, what a match of it says, and how that is shown."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from eval.points import Point
from eval.tables import Row, Section
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.deals import deal_from_seed
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.records import Format
from rlcard_kit.registry import AgentNames
from rlcard_kit.rules import Rulebook
from rlcard_kit.statistics import Estimate, estimate

Pair = tuple[int, int]  # the numbers of an agent and of its opponent in a plan
Columns = Mapping[str, Float64Array]  # figures of a match by name, each by deal, [D]: its mean is the figure


class Panel(NamedTuple):
    """A part of a figure over the checkpoints of a run."""

    title: str
    figures: tuple[str, ...]
    has_both: bool = True  # the opponent's figures beside the agent's


class EvaluatedGame(ABC):
    """A game whose agents are measured."""

    card: ClassVar[CardGame]
    """Its names, sizes and kernels."""
    title: ClassVar[str]
    """What people call it."""
    names: ClassVar[AgentNames]
    """Its agents by name."""
    presets: ClassVar[Mapping[str, Rulebook]]
    """Its rules by name; the first are those of a match that names none."""
    baselines: ClassVar[tuple[str, ...]]
    """The agents that a curve is played against by default."""
    opponents: ClassVar[str]
    """How many seats the opponent of a match has, in words."""
    shares: ClassVar[str]
    """The figure that is a share of games won."""
    headline: ClassVar[str]
    """The figure that says most: the one that --precision is of."""
    axis: ClassVar[str]
    """The headline with its unit, for figures."""
    unit: ClassVar[str]
    """Of the headline."""
    compared: ClassVar[tuple[str, ...]]
    """The figures that a tournament shows of each pair, and a curve of each checkpoint."""
    panels: ClassVar[tuple[Panel, ...]] = ()
    """What a curve draws beside the headline."""
    legend: ClassVar[str]
    """What the figures mean."""
    records: ClassVar[Format[Any]]
    """How its games are written."""
    place: ClassVar[str]
    """The key of a record under which the numbers of its deal and its seating are kept."""

    def find_rules(self, text: str | None) -> Rulebook:
        """Return the rules that a text names, the first if it is None; RulesError says what is possible."""
        rules: Rulebook = self.card.find_rules(next(iter(self.presets)) if text is None else text)
        return rules

    def make_agent(self, name: str, rules: Any) -> Any:
        """Make the agent that a name means; AgentNameError says what is possible."""
        return self.names.make(name, rules)

    def deal(self, seed: int, count: int) -> Deals:
        """Deal `count` times; return deals, [count]. Deal d of a seed does not depend on `count`."""
        return deal_from_seed(self.card, seed, count)

    @abstractmethod
    def save_deals(self, path: Path, deals: Deals) -> None:
        """Write deals, [D], to a file."""

    @abstractmethod
    def load_deals(self, path: Path) -> Deals:
        """Read deals, [D]; HandsError names the file and the first deal that is wrong."""

    @abstractmethod
    def record(self, deal: Deals, moves: Sequence[int], rules: Any, **about: Any) -> Any:
        """Return the record of a game.

        Args:
            deal: [1], the game's.
            moves: all of them.
            rules: that it was played by.
            about: 'payoffs', 'seats' and 'extra' of the record.
        """

    @abstractmethod
    def play_match(self, agent: object, opponent: object, deals: int, rules: Any, seed: int) -> Any:
        """Play a match of an agent against an opponent, and return it."""

    def duels(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the pairs that have to be played to know the matches of all."""
        return list(pairs)

    def seatings(self, pairs: Sequence[Pair]) -> Int64Array:
        """Return the seatings of pairs, int64 [G, seats]."""
        return np.concatenate([self.card.seatings(*pair) for pair in pairs])

    @abstractmethod
    def matches(self, pairs: Sequence[Pair], outcome: Outcome, rules: Any) -> dict[Pair, Any]:
        """Return the matches that an outcome in the seatings of pairs holds."""

    @abstractmethod
    def by_deal(self, match: Any) -> Columns:
        """Return the figures of a match, those of the agent."""

    @abstractmethod
    def table(self, title: str, names: tuple[str, str], match: Any) -> Section:
        """Return a match as a table.

        Args:
            title: of the table.
            names: of the agent and of its opponent.
            match: the match.
        """

    @abstractmethod
    def note(self, match: Any) -> str:
        """Return what is to be said of a match below its table."""

    def gains(self, payoffs: Int64Array) -> Int64Array:
        """Return what the headline is the mean of, int64 [..., seats], given payoffs, int64 [..., seats]."""
        return payoffs

    @abstractmethod
    def mixed_tables(self, count: int) -> Int64Array:
        """Return seatings of more than two agents, int64 [G, seats], for a ranking; none if pairs are ranked."""

    def against(self, name: str) -> str:
        """Return an opponent in words: 'three of rule'."""
        return f'{self.opponents} of {name}'

    def estimate(self, match: Any, name: str = '') -> Estimate:
        """Return a figure of a match, the headline by default."""
        return estimate(self.by_deal(match)[name or self.headline])

    def point(self, match: Any, minutes: float | None, frames: int, opponent: str) -> Point:
        """Return the point of a learning curve that a match makes."""
        shares, headline = (self.estimate(match, name) for name in (self.shares, self.headline))
        return Point(minutes, frames, opponent, match.num_deals, shares, headline)


def row(name: str, columns: Columns) -> Row:
    """Return figures as a row of a table; one that nothing tells is left out."""
    return Row(name, tuple(None if np.isnan(column).any() else estimate(column) for column in columns.values()))


def differences(one: Columns, other: Columns) -> Columns:
    """Return by how much figures differ on the same deals."""
    return {name: column - other[name] for name, column in one.items()}
