"""Blocks of deals, played in lockstep by players in given seats."""

import random as python_random
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.arrays import Float32Array, Int64Array
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.duplicate.time_limit import keep_alarm
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.programs.process import KINDS
from rlcard_kit.rng import Streams, new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv

BLOCK = 64  # deals in lockstep; a network's rounding depends on its batches, so results depend on this
Faults = NDArray[np.uint8]  # [D, G, seats, kinds], number of moves that programs failed to make, by `KINDS`


class Outcome(NamedTuple):
    """Results of D deals in G seatings."""

    payoffs: Int64Array  # [D, G, seats]
    figures: Int64Array  # [D, G, seats, figures], see `CardGame.figures`
    plies: Int64Array  # [D, G]
    moves: Int64Array  # [D, G, T], those of a game and then -1; T is 0 unless they are kept
    faults: Faults  # [D, G, seats, kinds]
    times: Float32Array  # [D, G, seats, 2], seconds by the clock for a seat's moves, and their number

    def of_seatings(self, seatings: slice) -> 'Outcome':
        """Return the results of some of the seatings."""
        return Outcome._make(part[:, seatings] for part in self)

    def of_deals(self, deals: slice) -> 'Outcome':
        """Return the results of some of the deals."""
        return Outcome._make(part[deals] for part in self)

    def parts(self, size: int) -> list['Outcome']:
        """Split into consecutive parts of `size` seatings."""
        return [self.of_seatings(slice(first, first + size)) for first in range(0, self.plies.shape[1], size)]

    @classmethod
    def join(cls, outcomes: Sequence['Outcome'], axis: int = 0) -> 'Outcome':
        """Join outcomes of several deals along axis 0, or of several seatings along axis 1."""
        longest = max(outcome.moves.shape[2] for outcome in outcomes)
        padded = [outcome._replace(moves=_padded(outcome.moves, longest)) for outcome in outcomes]
        return cls(*(np.concatenate(parts, axis=axis) for parts in zip(*padded, strict=True)))

    def without_moves(self) -> 'Outcome':
        """Return the results without the moves."""
        return self._replace(moves=self.moves[:, :, :0])


def _padded(moves: Int64Array, longest: int) -> Int64Array:
    return np.pad(moves, ((0, 0), (0, 0), (0, longest - moves.shape[2])), constant_values=-1)


class Block(NamedTuple):
    """Deals to play, each once in every seating."""

    game: CardGame
    rules: Any
    deals: Deals  # [D]
    first: int  # number of the first of them in the whole match
    seatings: Int64Array  # [G, seats], index of the player in each seat
    seed: int  # of the agents' draws; a seat's follow from the seed, the number of its deal and the seating's index
    keep_moves: bool = False


def play_block(block: Block, players: Sequence[MatchPlayer]) -> Outcome:
    """Play a block, the seatings of one match in lockstep, so that its results do not depend on other matches.

    Raises:
        AgentFailure: if an agent fails, naming it, the deal and the seat.
    """
    size = len(block.game.seatings(0, 1))
    groups = [block.seatings[start : start + size] for start in range(0, len(block.seatings), size)]
    with keep_alarm():
        for player in players:
            player.place(block.first, size)
            player.prepare(block.rules)
        outcome = Outcome.join([_play_group(block._replace(seatings=group), players) for group in groups], axis=1)
        for player in players:
            player.check_files()
        return outcome


def _play_group(block: Block, players: Sequence[MatchPlayer]) -> Outcome:
    num_deals, num_seatings = len(block.deals), len(block.seatings)
    for player in players:
        player.place(block.first, num_seatings)
    _seed_libraries(players, [block.seed, block.first])
    env = VectorEnv(block.game, block.rules, np.repeat(block.deals, num_seatings, axis=0))
    table = Table(env, players, np.tile(block.seatings, (num_deals, 1)), _streams_of_games(block))
    payoffs = env.new_payoffs()
    while not env.is_over:
        payoffs = table.turn().payoffs
    shape = (num_deals, num_seatings)
    figures = block.game.measure(env.games)
    return Outcome(
        payoffs.reshape(*shape, -1),
        figures.reshape(*shape, *figures.shape[1:]),
        table.plies.reshape(shape),
        _moves_made(table, block.keep_moves).reshape(*shape, -1),
        _faults_of(players, payoffs.shape).reshape(*shape, -1, len(KINDS)),
        _times_of(players, payoffs.shape).reshape(*shape, -1, 2),
    )


def _moves_made(table: Table, keep: bool) -> Int64Array:
    """Return the moves of each game, int64 [N, T], -1 after its last; T is 0 unless they are kept."""
    longest = table.plies.max() if keep else 0
    return np.where(np.arange(longest) < table.plies[:, None], table.log[:, :longest], -1)


def _faults_of(players: Sequence[MatchPlayer], shape: tuple[int, ...]) -> Faults:
    """Return the faults of programs in each game and seat, uint8 [N, seats, kinds]."""
    faults = np.zeros((*shape, len(KINDS)), np.uint8)
    for player in players:
        for game, seat, kind in player.program.take_faults() if player.program else ():
            faults[game, seat, KINDS.index(kind)] += 1
    return faults


def _times_of(players: Sequence[MatchPlayer], shape: tuple[int, ...]) -> Float32Array:
    """Return the seconds for moves in each game and seat, and their number, float32 [N, seats, 2]."""
    times = np.zeros((*shape, 2), np.float32)
    for player in players:
        for games, seats, seconds in player.take_times():
            times[games, seats] += seconds, 1
    return times


def _streams_of_games(block: Block) -> Streams:
    """Return a stream per game and seat, uint64 [D * G, seats], deal by deal.

    The games of a deal have different streams: otherwise an agent would play the same game against itself in every
    seating, and the interval of its EV would be empty. Each seat has its own, so that the field's draws are the same
    against two agents that are compared.
    """
    seats = block.game.num_seats
    # Deals count from 1, since a seed of [seed, 0] is that of the cards.
    streams = [
        new_streams([block.seed, block.first + deal + 1], len(block.seatings) * seats)
        for deal in range(len(block.deals))
    ]
    return np.concatenate(streams).reshape(-1, seats)


def _seed_libraries(players: Sequence[MatchPlayer], seed: Sequence[int]) -> None:
    """Seed the generators of agents of RLCard's protocol: random, numpy.random, torch, and their own `seed`."""
    others = [player for player in players if player.adapter is not None]
    if not others:
        return
    word = int(np.random.SeedSequence(list(seed)).generate_state(1)[0])
    python_random.seed(word)
    np.random.seed(word)
    if 'torch' in sys.modules:
        sys.modules['torch'].manual_seed(word)
    for player in others:
        if callable(getattr(player.agent, 'seed', None)):
            player.call_before('seed()', player.agent.seed, word)


class FaultCount(NamedTuple):
    """The faults of one kind of an agent."""

    agent: str
    kind: str  # of `KINDS`
    moves: int  # that were replaced
    games: int  # in which that happened
    deal: int  # the first of them
    seat: int

    def __str__(self) -> str:
        return (
            f'{self.agent}: {self.moves:,} moves in {self.games:,} games were replaced: {self.kind}, first in deal '
            f'{self.deal}, seat {self.seat}.'
        )


def count_faults(faults: Faults, seatings: Int64Array, agents: Sequence[str]) -> list[FaultCount]:
    """Return the faults of each agent and kind, if there are any.

    Args:
        faults: of D deals in G seatings.
        seatings: int64 [G, seats], the number of the agent in each seat.
        agents: their names.
    """
    counts = []
    for number, agent in enumerate(agents):
        agent_faults = faults * (seatings == number)[None, :, :, None]  # [D, G, seats, kinds]
        for kind, moves in enumerate(agent_faults.sum(axis=(0, 1, 2)).tolist()):
            if moves:
                indices = np.argwhere(agent_faults[..., kind])  # [K, 3]: deal, seating, seat
                games = len(np.unique(indices[:, :2], axis=0))
                counts.append(FaultCount(agent, KINDS[kind], moves, games, int(indices[0, 0]), int(indices[0, 2])))
    return counts
