"""Plans, the games to play, and their agents as players with a time limit."""

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from typing import Any

from eval.game import EvaluatedGame
from eval.games import game_of
from eval.provenance import source_checksum, weights_checksum
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import BLOCK, Block, Outcome, play_block
from rlcard_kit.duplicate.players import AgentFailure, MatchPlayer
from rlcard_kit.duplicate.time_limit import SECONDS, TimeLimit, Watchdog, no_watchdog
from rlcard_kit.errors import KitError, TimeLimitError, describe
from rlcard_kit.files import noting
from rlcard_kit.game import Deals
from rlcard_kit.process import limit_threads
from rlcard_kit.rules import Rulebook
from rlcard_kit.version import __version__


@dataclass(frozen=True)
class Plan:
    """Games to play: every deal once in every seating.

    Attributes:
        agents: names of the agents, see `AgentRegistry`.
        seatings: int64 [G, seats], the index in `agents` of the agent in each seat.
        rules: to play by.
        deals: [D], as the game has them.
        seed: of the agents' draws.
        seconds: limit for one call of an agent; 0 for none.
        keep_moves: keep the moves of every game.
        game: name of the game.
    """

    agents: tuple[str, ...]
    seatings: Int64Array
    rules: Rulebook
    deals: Deals
    seed: int
    seconds: float = SECONDS
    keep_moves: bool = False
    game: str = 'big2'

    @property
    def evaluated(self) -> EvaluatedGame:
        """The game, in the size of the rules."""
        return game_of(self.game).for_rules(self.rules)

    @property
    def num_blocks(self) -> int:
        """Number of blocks of up to 64 deals."""
        return -(-len(self.deals) // BLOCK)

    def block(self, number: int) -> Block:
        """Return a block to play."""
        first = number * BLOCK
        deals = self.deals[first : first + BLOCK]
        return Block(self.evaluated.card, self.rules, deals, first, self.seatings, self.seed, self.keep_moves)

    def describe(self) -> dict[str, Any]:
        """Return everything but the agents' weights that determines the outcomes, as JSON; deals by checksum."""
        return {
            'game': self.game,
            'version': __version__,
            'agents': list(self.agents),
            'rules': self.rules.fields(),
            'seed': self.seed,
            'deals': fingerprint(self.deals),
            'seatings': fingerprint(self.seatings),
        }


def fingerprint(array: Deals) -> dict[str, Any]:
    """Return the length and the SHA-256 of an array."""
    return {'count': len(array), 'sha256': sha256(array.tobytes()).hexdigest()}


def identity(description: Mapping[str, Any]) -> str:
    """Return the checksum of a description without its deals: it determines the games of each deal."""
    rest = {key: value for key, value in description.items() if key != 'deals'}
    return sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


class ChangedAgentError(KitError):
    """An agent that is not the same in all processes of a match."""


class Players:
    """The agents of a plan, each made once; numpy and torch use one thread from then on.

    Args:
        plan: names the agents.
        watchdog: notified of calls of agents.
        expected: the agents as the first process of the match describes them, see `describe`; None in that one.

    Raises:
        AgentNameError: if the plan names an agent that does not exist.
        AgentFailure: if it takes too long to make one.
        ChangedAgentError: if one has other weights or other files than those expected.
    """

    def __init__(
        self, plan: Plan, watchdog: Watchdog = no_watchdog, expected: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        self._plan, self._watchdog = plan, watchdog
        self.game = plan.evaluated
        self.players, self._read = [], []
        for name in plan.agents:
            with noting() as read:
                self.players.append(_new_player(self.game, name, plan.rules, plan.seconds, watchdog))
            self._read.append(read)
        limit_threads()
        for what, checksums in self.describe().items() if expected is not None else ():
            for name in plan.agents:
                if expected is not None and checksums.get(name) != expected[what].get(name):
                    raise ChangedAgentError(
                        f'{name!r} has other {what.replace("_", " ")} in a process on {platform.node()} than in the '
                        f'first one of the match. Name files that do not change, such as those of a checkpoint, have '
                        f'the same ones in {os.getcwd()} on all nodes, and seed what an agent draws when it is made'
                    )

    def play(self, number: int) -> Outcome:
        """Play a block; AgentFailure if an agent fails."""
        return play_block(self._plan.block(number), self.players)

    def describe(self) -> dict[str, dict[str, str]]:
        """Return the checksums of the agents' weights and sources, see `source_checksum`, by name."""
        weights, sources = {}, {}
        for player, read in zip(self.players, self._read, strict=True):
            self._watchdog(f'{player.name} for its weights', inf)
            file = self.game.names.weights_file(player.name, self._plan.rules)
            weights[player.name] = weights_checksum(player.agent, file, read)
            sources[player.name] = source_checksum(file, read)
        return {'weights': weights, 'agent_sources': {name: source for name, source in sources.items() if source}}

    def trained_on(self) -> dict[str, Rulebook]:
        """Return the rules that each trained agent was trained on, by its name."""
        trained = {}
        for player in self.players:
            self._watchdog(f'{player.name} for its rules', inf)
            trained[player.name] = getattr(player.agent, 'trained_on', None)
        return {name: rules for name, rules in trained.items() if rules is not None}


def _new_player(game: EvaluatedGame, name: str, rules: Rulebook, seconds: float, watchdog: Watchdog) -> MatchPlayer:
    patience = max(seconds, SECONDS) if seconds else 0  # it may import torch, and read a large file
    try:
        with TimeLimit(patience, f'the factory of {name}', watchdog):
            agent = game.make_agent(name, rules)
    except TimeLimitError as error:
        raise AgentFailure(f'{name!r} cannot be made: {describe(error)}') from error
    return MatchPlayer(agent, name, seconds, watchdog)
