"""Matches of several pairs as one list of blocks, so that all processes are busy until the last match."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eval.plan import Plan, Players
from eval.store import Store
from eval.workers import deals_of
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.time_limit import Watchdog, no_watchdog
from rlcard_kit.rules import Rulebook


class Described(NamedTuple):
    """The agents of a plan."""

    agents: dict[str, Any]  # see `Players.describe`
    trained_on: dict[str, Rulebook]  # see `Players.trained_on`


class Series(NamedTuple):
    """Matches with equal numbers of deals; their blocks are numbered one match after the other."""

    plans: list[Plan]

    @property
    def num_blocks(self) -> int:
        """Number of the blocks of all matches."""
        return len(self.plans) * self.plans[0].num_blocks

    def locate(self, number: int) -> tuple[int, int]:
        """Return the index of a block's match and the block's number in it."""
        return divmod(number, self.plans[0].num_blocks)

    def deals_of(self, number: int) -> str:
        """Name the deals of a block."""
        match, block = self.locate(number)
        return f'{deals_of(block)} of {" and ".join(self.plans[match].agents)}'

    def split(self, outcome: Outcome) -> list[Outcome]:
        """Return the outcome of each match, given those of all matches joined."""
        size = len(self.plans[0].deals)
        return [outcome.of_deals(slice(match * size, (match + 1) * size)) for match in range(len(self.plans))]


class SeriesPlayers:
    """Plays blocks of a series; the agents are those of one match at a time.

    Args:
        series: the matches.
        expected: see `expected_of`; None in the first process, which describes them.
        watchdog: notified of calls of agents.
    """

    def __init__(
        self, series: Series, expected: Mapping[str, Any] | None = None, watchdog: Watchdog = no_watchdog
    ) -> None:
        self._series, self._expected, self._watchdog = series, expected or {}, watchdog
        self._match = -1
        self._players: Players | None = None

    def play(self, number: int) -> Outcome:
        """Play a block; AgentFailure if an agent fails."""
        match, block = self._series.locate(number)
        if self._players is None or match != self._match:
            self._players = None  # ends its programs
            plan = self._series.plans[match]
            self._players, self._match = Players(plan, self._watchdog, self._expected.get(plan.rules.text)), match
        return self._players.play(block)

    def describe(self, plans: Sequence[Plan]) -> list[Described]:
        """Make the agents of plans, one for each set of rules, and describe them; from then on they must not change."""
        made = (Players(plan, self._watchdog) for plan in plans)
        described = [Described(players.describe(), players.trained_on()) for players in made]
        self._expected = expected_of(plans, described)
        return described


def expected_of(plans: Sequence[Plan], described: Sequence[Described]) -> dict[str, Any]:
    """Return the agents of plans, as the first process describes them, by the text of the rules."""
    return {plan.rules.text: agents for plan, (agents, _) in zip(plans, described, strict=True)}


class SeriesStore:
    """Keeps the blocks of each match of a series in a folder of its own.

    Args:
        series: the matches.
        folders: of the matches.
        descriptions: of the matches, see `Store`.
        check: called with the plan of a finished block before that is kept.

    Raises:
        ResumeError: if a folder holds another match.
    """

    def __init__(
        self,
        series: Series,
        folders: Sequence[Path],
        descriptions: Sequence[Mapping[str, Any]],
        check: Callable[[Plan], None],
    ) -> None:
        self._series, self._check = series, check
        self._stores = [
            Store(folder, plan, description, resume=True)
            for folder, plan, description in zip(folders, series.plans, descriptions, strict=True)
        ]

    @property
    def replayed(self) -> list[str]:
        """Sentences on blocks that are played again."""
        return [sentence for store in self._stores for sentence in store.replayed]

    @property
    def sources(self) -> list[str]:
        """Digests of the sources that played the games."""
        return list(dict.fromkeys(source for store in self._stores for source in store.sources))

    def load(self, number: int) -> Outcome | None:
        """Return a finished block, or None."""
        match, block = self._series.locate(number)
        return self._stores[match].load(block)

    def save(self, number: int, outcome: Outcome) -> None:
        """Keep a finished block."""
        match, block = self._series.locate(number)
        self._check(self._series.plans[match])
        self._stores[match].save(block, outcome)
