"""The matches of a ladder: each pair of agents, in all seatings of the two, under each set of rules.

Their blocks are one list, so that all processes are busy until the last match.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import combinations
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eval.common.ray_cluster import connected
from eval.game import EvaluatedGame
from eval.games import game_of
from eval.ladder.entries import Entry
from eval.ladder.terms import Terms
from eval.options import LONGEST_AGENTS, RunOptions
from eval.plan import Plan, Players
from eval.runner import play_blocks, play_shown
from eval.store import Store
from eval.workers import Pool, deals_of
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import Outcome
from rlcard_kit.duplicate.time_limit import Watchdog, no_watchdog
from rlcard_kit.rules import Rulebook

BOTH_WAYS = [(0, 1), (1, 0)]  # pairs of an agent and its field, in a match of two agents


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


class Played(NamedTuple):
    """The games of a ladder."""

    outcomes: list[list[Outcome]]  # by rules, of each pair of agents
    described: list[Described]  # by rules, all agents
    replayed: list[str]  # see `Store`
    sources: list[str]


@dataclass(frozen=True)
class Ladder:
    """A ladder and its matches.

    Attributes:
        entries: the agents.
        terms: of all matches.
        seed: of the deals and of the agents' draws.
    """

    entries: Sequence[Entry]
    terms: Terms
    seed: int

    @property
    def game(self) -> EvaluatedGame:
        """The game, in the size of its rules."""
        return game_of(self.terms.game).for_rules(self.rules[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The names to print."""
        return tuple(entry.name for entry in self.entries)

    @property
    def rules(self) -> list[Rulebook]:
        """The rules."""
        game = game_of(self.terms.game)
        return [game.find_rules(text) for text in self.terms.rules]

    @property
    def duels(self) -> Int64Array:
        """The seatings of a pair in which one agent plays against a field of the other, int64 [G, seats]."""
        return self.game.seatings(self.game.duels(BOTH_WAYS))

    @property
    def mixed(self) -> Int64Array:
        """The seatings of two against two, int64 [G, seats]; none if partners win, since the duels are of that kind."""
        return self.game.mixed_tables(2)

    @property
    def seatings(self) -> Int64Array:
        """All seatings of a pair, int64 [G, seats]."""
        return np.concatenate([self.duels, self.mixed])

    def plans(self, size: int, seconds: float) -> list[Plan]:
        """Return the plan of each group of `size` agents, under one set of rules after the other.

        `seconds` is the limit for one call of an agent.
        """
        deals = self.game.deal(self.seed, self.terms.deals)
        agents = [entry.agent for entry in self.entries]
        return [
            Plan(group, self.seatings, rules, deals, self.seed, seconds, game=self.terms.game)
            for rules in self.rules
            for group in combinations(agents, size)
        ]

    def play(self, folder: Path, run: RunOptions) -> Played:
        """Play the matches that a folder does not have yet.

        Raises:
            AgentFailure: if an agent fails that is not a program.
            WorkerError: if a process dies.
            ResumeError: if an agent of a match in the folder has changed.
            ChangedAgentError: if one changes while its matches are played, or FileError if a file of it does.
            ClusterError: if the cluster cannot be used.
        """
        series = Series(self.plans(2, run.seconds))
        with (
            closing(Pool(partial(SeriesPlayers, series, None), series.deals_of)) as pool,
            nullcontext() if run.ray is None else connected(run.ray),
        ):
            everyone = self.plans(len(self.entries), run.seconds)
            described: list[Described] = pool.run(methodcaller('describe', everyone), 'made the agents')
            agents = [
                _chosen(plan, description.agents)
                for description, plans in zip(described, self._by_rules(series.plans), strict=True)
                for plan in plans
            ]
            store = SeriesStore(
                series,
                [folder / _folder_name(plan) for plan in series.plans],
                [self._describe(plan, description) for plan, description in zip(series.plans, agents, strict=True)],
                self._check_files,
            )
            pool.make = partial(SeriesPlayers, series, expected_of(everyone, described))
            remote = None if run.ray is None else pool.make
            blocks = play_blocks(series.num_blocks, pool, store.load, store.save, run.workers, remote)
            outcome = play_shown(blocks, folder, self.terms.deals * len(series.plans))
        return Played(self._by_rules(series.split(outcome)), described, store.replayed, store.sources)

    def _check_files(self, plan: Plan) -> None:
        """Raise FileError if a file of an agent of a match is another one, see `Entry.check_files`."""
        for entry in self.entries:
            if entry.agent in plan.agents:
                entry.check_files()

    def _by_rules(self, matches: list[Any]) -> list[list[Any]]:
        """Split a list with an item for each match."""
        size = len(matches) // len(self.terms.rules)
        return [matches[first : first + size] for first in range(0, len(matches), size)]

    def _describe(self, plan: Plan, agents: Mapping[str, Any]) -> dict[str, Any]:
        """Return the description of a match and its agents, which does not reveal the seed."""
        files = {entry.agent: dict(entry.files) for entry in self.entries if entry.agent in plan.agents}
        return {**plan.describe(), **agents, 'files': files, 'seed': f'sha256:{self.terms.sha256}'}


def _chosen(plan: Plan, agents: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a description of agents, see `Players.describe`, that is about those of a plan."""
    return {what: {name: by_name[name] for name in plan.agents if name in by_name} for what, by_name in agents.items()}


def _folder_name(plan: Plan) -> str:
    """Return the path of a match's folder, which depends on its rules and on the names of its agents alone."""
    digest = sha256(json.dumps([plan.rules.text, *plan.agents]).encode()).hexdigest()[:8]
    rules, agents = (re.sub(r'[^A-Za-z0-9.=]+', '-', text) for text in (plan.rules.title, ' '.join(plan.agents)))
    return f'{rules[:LONGEST_AGENTS]}/{agents[:LONGEST_AGENTS]}-{digest}'
