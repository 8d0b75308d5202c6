"""Blocks of deals, played in lock step by agents in given seats."""

import random as python_random
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.duplicate.players import FAILURES, BatchPlayer, Block, DecisionError, Player, RLCardPlayer
from rlcard_big2.engine.batch import list_legal, observe_games, play_moves, settle_games
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import PACKED_SIZE
from rlcard_big2.engine.ruleset import Rulesets, ruleset
from rlcard_big2.engine.state import NUM_PLAYERS, Games, new_games, start
from rlcard_big2.errors import Big2Error, describe
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.compilation import kernel
from rlcard_big2.lockstep.random import Streams, new_streams
from rlcard_big2.rules import Rules


class AgentFailure(Big2Error):  # noqa: N818  # it is the agent's, not the caller's
    """An agent that crashed, took too long or played an illegal action; the message names deal and seat."""


BLOCK = 64  # deals in lock step; part of a match's meaning, since a network's rounding follows its batches
GROUP = 4  # seatings in lock step: those of a match, which so has the same numbers in whatever plan it is


class Outcome(NamedTuple):
    """How the games of D deals in G seatings ended."""

    payoffs: Int64Array  # [D, G, 4], by seat, in units of one card
    cards_left: Int64Array  # [D, G, 4], by seat
    plies: Int64Array  # [D, G]


def make_player(agent: object, seconds: float) -> Player:
    """Seat an agent: a `BatchAgent`, or anything with RLCard's `eval_step` and `use_raw`."""
    return BatchPlayer(agent, seconds) if isinstance(agent, BatchAgent) else RLCardPlayer(agent, seconds)


def play_deals(
    players: Sequence[Player],
    names: Sequence[str],
    seatings: Int64Array,
    rules: Rules,
    deals: Int64Array,
    first: int,
    seed: int,
) -> Outcome:
    """Play a block's deals in any number of seatings, int64 [G, 4]; see `play_block`."""
    groups = [seatings[start : start + GROUP] for start in range(0, len(seatings), GROUP)]
    return join([play_block(players, names, group, rules, deals, first, seed) for group in groups], axis=1)


def play_block(
    players: Sequence[Player],
    names: Sequence[str],
    seatings: Int64Array,
    rules: Rules,
    deals: Int64Array,
    first: int,
    seed: int,
) -> Outcome:
    """Play each deal once in each seating, all games in lock step.

    Args:
        players: the agents.
        names: of the agents, for errors.
        seatings: int64 [G, 4], the place in `players` of the agent in each seat.
        rules: to play by.
        deals: masks, int64 [D, 4].
        first: number of the first of these deals in the whole match.
        seed: of the agents' draws; a seat's draws follow from the seed, its deal's number and its seating's place.

    AgentFailure names the agent, the deal and the seat where one fails.
    """
    _seed_libraries(players, names, [seed, first])
    table = ruleset(rules)
    seats = np.tile(seatings, (len(deals), 1))  # [D * G, 4]
    streams = _streams_of_games(seed, first, len(deals), len(seatings))
    block = _start(rules, deals, len(seatings), streams)
    while (block.games['winner'] < 0).any():
        observe_games(block.games, block.games['player'].copy(), block.observations)
        list_legal(table, block.games, block.masks, block.offsets)
        try:
            moves = _choose(players, seats, block)
        except DecisionError as error:
            seat = int(block.games['player'][error.game])
            name, deal = names[seats[error.game, seat]], first + error.game // len(seatings)
            raise AgentFailure(f'{name} failed in deal {deal}, seat {seat}: {error}') from error
        play_moves(table, block.games, moves)
        block.moves_made.append(moves)
    return _outcome(table, block.games, (len(deals), len(seatings)))


def _streams_of_games(seed: int, first: int, deals: int, seatings: int) -> Streams:
    """Return a stream per game and seat, uint64 [deals * seatings, 4], deal by deal.

    A deal's four games get streams of their own: with one for all, an agent against itself would play the same
    game four times, and the interval of its EV would be empty. Each seat has its own, so that the field draws
    alike against two agents that are compared.
    """
    # Deals count from 1, since a seed of [seed, 0] is that of the cards.
    streams = [new_streams([seed, first + deal + 1], seatings * NUM_PLAYERS) for deal in range(deals)]
    return np.concatenate(streams).reshape(-1, NUM_PLAYERS)


def _start(rules: Rules, deals: Int64Array, seatings: int, streams: Streams) -> Block:
    count = len(deals) * seatings
    games = new_games(count)
    start_games(games, deals)
    return Block(
        rules,
        games,
        np.empty((count, PACKED_SIZE), np.int64),
        np.empty(count * MAX_LEGAL, np.int64),
        np.empty(count + 1, np.int64),
        streams,
        [],
    )


@kernel
def start_games(games: Games, deals: Int64Array) -> None:
    """Start games with deals, int64 [D, 4]: as many games in a row with each as there are."""
    per_deal = games.size // len(deals)
    for i in range(games.size):
        start(games[i], deals[i // per_deal])


def _choose(players: Sequence[Player], seats: Int64Array, block: Block) -> Int64Array:
    """Have each player move where it is to move; return the masks, int64 [N], 0 in finished games."""
    moves = np.zeros(len(seats), np.int64)
    to_move = seats[np.arange(len(seats)), block.games['player']]
    for number, player in enumerate(players):
        where = np.flatnonzero((block.games['winner'] < 0) & (to_move == number))
        if where.size:
            moves[where] = player.choose(block, where)
    return moves


def _outcome(table: Rulesets, games: Games, shape: tuple[int, int]) -> Outcome:
    payoffs = np.empty((games.size, NUM_PLAYERS), np.int64)
    settle_games(table, games, payoffs)
    left = (games['hands'][:, :, None] >> np.arange(52) & 1).sum(axis=2)
    return Outcome(payoffs.reshape(*shape, NUM_PLAYERS), left.reshape(*shape, NUM_PLAYERS), games['ply'].reshape(shape))


def _seed_libraries(players: Sequence[Player], names: Sequence[str], seed: Sequence[int]) -> None:
    """Seed what agents of RLCard's protocol may draw from: random, numpy.random, torch, and their own `seed`."""
    others = [
        (name, player.agent) for name, player in zip(names, players, strict=True) if isinstance(player, RLCardPlayer)
    ]
    if not others:
        return
    word = int(np.random.SeedSequence(list(seed)).generate_state(1)[0])
    python_random.seed(word)
    np.random.seed(word)
    if 'torch' in sys.modules:
        sys.modules['torch'].manual_seed(word)
    for name, agent in others:
        if callable(getattr(agent, 'seed', None)):
            try:
                agent.seed(word)
            except FAILURES as error:
                raise AgentFailure(f'{name} failed before deal {seed[-1]}, in its seed(): {describe(error)}') from error


def join(outcomes: Sequence[Outcome], axis: int = 0) -> Outcome:
    """Join outcomes: of other deals along axis 0, of other seatings along axis 1."""
    return Outcome(*(np.concatenate(parts, axis=axis) for parts in zip(*outcomes, strict=True)))


def pick(outcome: Outcome, seatings: slice) -> Outcome:
    """Return the part of an outcome that was played in some of the seatings."""
    return Outcome(*(part[:, seatings] for part in outcome))
