"""Interface between the evaluation and a game: its agents, and the statistics and tables of its matches."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from typing_extensions import Self

from eval.counts import Counter
from eval.pairs import Divergences, Grouping, Pairs
from eval.points import Point
from eval.tables import Columns, Row, Section, row
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.deals import deal_from_seed
from rlcard_kit.duplicate.match import matches_of
from rlcard_kit.errors import ConfigError
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.records import Format
from rlcard_kit.registry import AgentRegistry
from rlcard_kit.rules import Rulebook
from rlcard_kit.statistics import Estimate, estimate, estimate_share

Pair = tuple[int, int]  # indices of an agent and of its opponent in a plan


class DuplicateMatch(Protocol):
    """The games of an agent against another over duplicate deals."""

    @property
    def num_deals(self) -> int:
        """The number of deals, each played in every seating."""

    def variance_removed(self) -> float:
        """Return the share of the headline's variance that playing a deal in all seatings removed."""


class Panel(NamedTuple):
    """A panel of the figures over the checkpoints of a run."""

    title: str
    figures: tuple[str, ...]
    has_both: bool = True  # also the opponent's figures


@dataclass(frozen=True)
class Wording:
    """The words of a game in reports: names of figures, units and notes."""

    title: str
    """The name of the game."""
    opponents: str = 'two'
    """The number of seats of a match's opponent."""
    seated: str = 'in all seats'
    """The seatings of a match, as its note has them."""
    shares: tuple[str, ...] = ('WP',)
    """The figures that are shares of games won; the main one first."""
    headline: str = 'EV'
    """The main figure, to which --precision refers."""
    unit: str = 'points a game'
    """The unit of the headline."""
    counted: str = 'points'
    """The unit of payoffs and of the agents' values."""
    compared: tuple[str, ...] = ('EV',)
    """The figures that a curve shows of each checkpoint."""
    legend: str = (
        'WP: share of games won. EV: payoff per game. ±: half of the 95 % interval; one deal with all its games counts '
        'once.'
    )
    """Definitions of the figures."""
    explained: tuple[str, ...] = ()
    """Notes on the groups of games, and on the records, in the report of `explain`."""
    place: str = 'deal'
    """The key of a record that holds the numbers of its deal and its seating."""

    @property
    def axis(self) -> str:
        """The headline with its unit, for figures."""
        return f'{self.headline} in {self.unit} (95 % intervals)'


class EvaluatedGame(ABC):
    """A game whose agents are evaluated."""

    card: CardGame
    """Its names, sizes and kernels."""
    wording: Wording
    """Its words in reports."""
    names: ClassVar[AgentRegistry]
    """Its agents by name."""
    presets: ClassVar[Mapping[str, Rulebook]]
    """Its rules by name; the first are the default."""
    ladder: ClassVar[tuple[str, ...]] = ()
    """The default rules of a ladder, if they are not the first of `presets` alone."""
    baselines: ClassVar[tuple[str, ...]]
    """The default opponents of a curve."""
    panels: ClassVar[tuple[Panel, ...]] = ()
    """Panels that a curve draws in addition to the headline."""
    game_groups: ClassVar[Mapping[str, Callable[[Pairs], Grouping]]] = {}
    """Functions that group the games of two agents, by keys, which name figures."""
    divergence_groups: ClassVar[Mapping[str, Callable[[Pairs, Divergences], Grouping]]] = {}
    """Functions that group the decisions at which two agents diverge, likewise; by phase first."""
    counter: ClassVar[type[Counter] | None] = None
    """Counts the game's own figures, for `numbers`."""
    records: ClassVar[Format[Any]]
    """The format of its records."""

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

    def require(self, part: str, option: str) -> None:
        """Raise ConfigError, naming an option, if the game lacks a part that it needs, such as 'records'."""
        if getattr(self, part, None) is None:
            raise ConfigError(f'{option}: {self.wording.title} has no {part} in its EvaluatedGame, which this needs')

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

    def matches(self, pairs: Sequence[Pair], outcome: Outcome, rules: Any) -> Mapping[Pair, DuplicateMatch]:
        """Return the matches of pairs, given the outcome of their seatings."""
        return dict(zip(pairs, matches_of(self.card, outcome), strict=True))

    def by_deal(self, match: Any) -> Columns:
        """Return the agent's figures in a match."""
        columns = match.by_deal()
        return {self.wording.shares[0]: columns['wp', ''], self.wording.headline: columns['ev', '']}

    def table(self, title: str, names: tuple[str, str], match: Any) -> Section:
        """Return a match as a table; the names are those of the agent and of its opponent."""
        columns = self.by_deal(match)
        return Section(title, tuple(columns), (row(names[0], columns, self.wording.shares),))

    def matrix(self, title: str, names: Sequence[str], matches: Mapping[Pair, DuplicateMatch], figure: str) -> Section:
        """Return a figure of each agent (row) against each other (column) as a table."""
        agents = range(len(names))
        cells = {pair: self.estimate(match, figure) for pair, match in matches.items() if max(pair) in agents}
        rows = [Row(name, tuple(cells.get((agent, field)) for field in agents)) for agent, name in enumerate(names)]
        return Section(title, tuple(names), tuple(rows))

    def note(self, match: DuplicateMatch) -> str:
        """Return a sentence on the variance that duplicate deals removed."""
        return (
            f'{match.num_deals} deals, each {self.wording.seated}: the variance is {match.variance_removed():.0%} '
            f'lower than with the same number of games on independent deals.'
        )

    def gains(self, payoffs: Int64Array) -> Int64Array:
        """Return the values whose mean is the headline, int64 [..., seats], from payoffs, int64 [..., seats]."""
        return payoffs

    def mixed_tables(self, count: int) -> Int64Array:
        """Return seatings of different agents, int64 [G, seats], for a ranking; none if pairs are ranked."""
        return np.zeros((0, self.card.num_seats), np.int64)

    def against(self, name: str) -> str:
        """Return the opponents in words: 'three of rule'."""
        return f'{self.wording.opponents} of {name}'

    def estimate(self, match: DuplicateMatch, name: str = '') -> Estimate:
        """Return a figure of a match, the headline by default."""
        name = name or self.wording.headline
        return (estimate_share if name in self.wording.shares else estimate)(self.by_deal(match)[name])

    def point(self, match: DuplicateMatch, minutes: float | None, frames: int, opponent: str) -> Point:
        """Return the match as a point of a learning curve."""
        shares, headline = (self.estimate(match, name) for name in (self.wording.shares[0], self.wording.headline))
        return Point(minutes, frames, opponent, match.num_deals, shares, headline)
