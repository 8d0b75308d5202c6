"""A plan's blocks in order, however many processes play them."""

import os
import platform
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from common.ray_cluster import ClusterError, free_cpus
from eval.games import EvaluatedGame
from eval.plan import Plan
from eval.store import Store
from eval.weights import source_checksum, weights_checksum
from eval.workers import Answer, play_in_processes
from rlcard_kit.duplicate.block import Outcome, play_block
from rlcard_kit.duplicate.players import AgentFailure, MatchPlayer, make_player
from rlcard_kit.duplicate.time_limit import SECONDS, TimeLimit, Watch
from rlcard_kit.errors import TimeLimitError, describe
from rlcard_kit.rules import Rulebook
from rlcard_kit.threads import limit_threads

CHECK = 8  # blocks between two looks at the precision


class Players:
    """The agents of a plan, made once, each with one thread.

    Args:
        plan: AgentNameError if it names an agent that cannot be made, AgentFailure if that takes too long.
        watch: is told what this process waits for.
    """

    def __init__(self, plan: Plan, watch: Watch) -> None:
        self._plan = plan
        self._players = [new_player(plan.evaluated, name, plan.rules, plan.seconds, watch) for name in plan.agents]
        limit_threads()

    def play(self, number: int) -> Outcome:
        """Play a block; AgentFailure if an agent fails."""
        return play_block(self._plan.block(number), self._players)

    def describe(self) -> dict[str, Any]:
        """Return the checksums of the agents' weights and, of agents `python:...`, of their modules, by name."""
        sources = {player.name: source_checksum(player.name) for player in self._players}
        file_of = partial(self._plan.evaluated.names.weights_file, rules=self._plan.rules)
        return {
            'weights': {player.name: weights_checksum(player.agent, file_of(player.name)) for player in self._players},
            'agent_sources': {name: source for name, source in sources.items() if source},
        }

    def trained_on(self) -> dict[str, Rulebook]:
        """Return the rules that agents were trained on, by name, of those that were trained."""
        trained = {player.name: getattr(player.agent, 'trained_on', None) for player in self._players}
        return {name: rules for name, rules in trained.items() if rules is not None}


def new_player(game: EvaluatedGame, name: str, rules: Rulebook, seconds: float, watch: Watch) -> MatchPlayer:
    """Make an agent by its name, to be held to a time limit.

    Args:
        game: that it plays.
        name: of the agent.
        rules: that it is to play by.
        seconds: limit for one call of it; 0 for none.
        watch: is told what this process waits for.

    Raises:
        AgentNameError: if the name does not mean an agent.
        AgentFailure: if it takes too long to make it.
    """
    patience = max(seconds, SECONDS) if seconds else 0  # it may import torch, and read a large file
    try:
        with TimeLimit(patience, f'{name} as it was made', watch):
            agent = game.make_agent(name, rules)
    except TimeLimitError as error:
        raise AgentFailure(f'{name!r} cannot be made: {describe(error)}') from error
    return make_player(agent, name, seconds, watch)


class NodePlayers(Players):
    """The agents of a plan on a node of a cluster, the same as where the command was given.

    Args:
        expected: what `describe` says of them there.
        plan: see `Players`.
        watch: see `Players`.

    Raises:
        ClusterError: if an agent has other weights or another source here.
    """

    def __init__(self, expected: Mapping[str, Any], plan: Plan, watch: Watch) -> None:
        super().__init__(plan, watch)
        for what, found in self.describe().items():
            for name, checksum in found.items():
                if checksum != expected[what].get(name):
                    raise ClusterError(
                        f'node {platform.node()} has other {what.replace("_", " ")} for {name!r} than this machine: '
                        f'have the same files in {os.getcwd()} on all nodes'
                    )


def play_blocks(
    plan: Plan, players: Players, store: Store, workers: int | None = None, on_cluster: bool = False
) -> Generator[Outcome]:
    """Yield the outcomes of a plan's blocks in order, from the store if it has them.

    With one worker, or one block to play, the games are played in this process, unless there is a cluster. Closing the
    iterator stops the workers. What is finished when an exception is raised is in the store.

    Args:
        plan: what to play.
        players: its agents, in this process.
        store: keeps finished blocks.
        workers: processes; by default as many as this machine has cores, or as the cluster has free.
        on_cluster: play on the cluster that this process is connected to.

    Raises:
        AgentFailure: if an agent fails.
        WorkerError: if a process dies.
        ClusterError: if the cluster is too small, or an agent is another one there.
    """
    known: dict[int, Answer] = {
        number: outcome for number in range(plan.num_blocks) if (outcome := store.load(number)) is not None
    }
    missing = [number for number in range(plan.num_blocks) if number not in known]
    with closing(_answers(plan, players, missing, workers, on_cluster)) as answers:
        for number in range(plan.num_blocks):
            while number not in known:
                finished, answer = next(answers)
                known[finished] = answer
                if isinstance(answer, Outcome):
                    store.save(finished, answer)
            yield _outcome_of(known.pop(number))


def _answers(
    plan: Plan, players: Players, missing: Sequence[int], workers: int | None, on_cluster: bool
) -> Generator[tuple[int, Answer]]:
    """Return the blocks that are missing, with their numbers, as they are finished wherever they are played."""
    if on_cluster and missing:
        from eval.on_ray import play_on_cluster  # needs Ray

        make = partial(NodePlayers, players.describe(), plan)
        return play_on_cluster(make, missing, min(workers or max(1, free_cpus()), len(missing)))
    count = min(workers or os.cpu_count() or 1, len(missing))
    if count < 2:
        return ((number, players.play(number)) for number in missing)
    return play_in_processes(partial(Players, plan), missing, count)


def _outcome_of(answer: Answer) -> Outcome:
    """Return an outcome; raise a failure only when its block is reached, so that timing does not decide which one."""
    if isinstance(answer, Outcome):
        return answer
    raise answer


def play_until(
    blocks: Iterator[Outcome], needed: Callable[[Outcome], int] | None, on_block: Callable[[int, int | None], None]
) -> Outcome:
    """Join blocks until there are enough or none is left.

    Args:
        blocks: in order, so that the answer does not depend on which process is fastest.
        needed: estimates from the games so far how many deals it takes, asked after every 8 blocks; None for all.
        on_block: called with the deals played, and the deals needed or None.
    """
    parts: list[Outcome] = []
    played, total = 0, None
    for number, block in enumerate(blocks, 1):
        parts.append(block)
        played += len(block.plies)
        if needed is not None and number % CHECK == 0:
            parts = [Outcome.join(parts)]
            total = needed(parts[0])
            if total <= played:
                break
        on_block(played, total)
    return Outcome.join(parts)
