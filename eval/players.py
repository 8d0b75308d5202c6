"""The agents of a plan, as players with a time limit."""

import os
import platform
from collections.abc import Mapping
from functools import partial
from math import inf
from typing import Any

from common.ray_cluster import ClusterError
from eval.games import EvaluatedGame
from eval.plan import Plan
from eval.provenance import source_checksum, weights_checksum
from rlcard_kit.duplicate.block import Outcome, play_block
from rlcard_kit.duplicate.players import AgentFailure, MatchPlayer
from rlcard_kit.duplicate.time_limit import SECONDS, TimeLimit, Watchdog, no_watchdog
from rlcard_kit.errors import TimeLimitError, describe
from rlcard_kit.process import limit_threads
from rlcard_kit.rules import Rulebook


class Players:
    """The agents of a plan, each made once; numpy and torch use one thread from then on.

    Args:
        plan: names the agents.
        watchdog: notified of calls of agents.

    Raises:
        AgentNameError: if the plan names an agent that does not exist.
        AgentFailure: if it takes too long to make one.
    """

    def __init__(self, plan: Plan, watchdog: Watchdog = no_watchdog) -> None:
        self._plan, self._watchdog = plan, watchdog
        self.game = plan.evaluated
        self.players = [_new_player(self.game, name, plan.rules, plan.seconds, watchdog) for name in plan.agents]
        limit_threads()

    def play(self, number: int) -> Outcome:
        """Play a block; AgentFailure if an agent fails."""
        return play_block(self._plan.block(number), self.players)

    def describe(self) -> dict[str, Any]:
        """Return the checksums of the agents' weights and sources, see `source_checksum`, by name."""
        weights, sources = {}, {}
        file_of = partial(self.game.names.weights_file, rules=self._plan.rules)
        for player in self.players:
            self._watchdog(f'{player.name} for its weights', inf)
            weights[player.name] = weights_checksum(player.agent, file_of(player.name))
            sources[player.name] = source_checksum(player.name, player.agent)
        return {'weights': weights, 'agent_sources': {name: source for name, source in sources.items() if source}}

    def trained_on(self) -> dict[str, Rulebook]:
        """Return the rules that each trained agent was trained on, by its name."""
        trained = {}
        for player in self.players:
            self._watchdog(f'{player.name} for its rules', inf)
            trained[player.name] = getattr(player.agent, 'trained_on', None)
        return {name: rules for name, rules in trained.items() if rules is not None}


class NodePlayers(Players):
    """The agents of a plan on a node of a cluster.

    ClusterError if one has other weights or another source than in `expected`, the result of `describe` on the machine
    that runs the command.
    """

    def __init__(self, expected: Mapping[str, Any], plan: Plan, watchdog: Watchdog) -> None:
        super().__init__(plan, watchdog)
        for what, found in self.describe().items():
            for name, checksum in found.items():
                if checksum != expected[what].get(name):
                    raise ClusterError(
                        f'node {platform.node()} has other {what.replace("_", " ")} for {name!r} than this machine: '
                        f'have the same files in {os.getcwd()} on all nodes'
                    )


def _new_player(game: EvaluatedGame, name: str, rules: Rulebook, seconds: float, watchdog: Watchdog) -> MatchPlayer:
    patience = max(seconds, SECONDS) if seconds else 0  # it may import torch, and read a large file
    try:
        with TimeLimit(patience, f'the factory of {name}', watchdog):
            agent = game.make_agent(name, rules)
    except TimeLimitError as error:
        raise AgentFailure(f'{name!r} cannot be made: {describe(error)}') from error
    return MatchPlayer(agent, name, seconds, watchdog)
