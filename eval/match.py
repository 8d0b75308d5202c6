"""Matches over duplicate deals: one agent in each of the four seats against three of another, the same deals."""

from dataclasses import dataclass

import numpy as np

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.engine.batch import list_legal, observe_games, play_moves, settle_games
from rlcard_big2.engine.bitboard import Int64Array, kernel
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import PACKED_SIZE
from rlcard_big2.engine.random import Streams, new_streams
from rlcard_big2.engine.ruleset import ruleset
from rlcard_big2.engine.state import NUM_PLAYERS, Games, new_games, shuffle_hands, start
from rlcard_big2.rules import Rules

DEALS_AT_ONCE = 128


@dataclass(frozen=True)
class Match:
    """The outcome of a match.

    Attributes:
        payoffs: of the agent measured, by deal and by its seat, int64 [D, 4], in units of one card.
        field: of the others, int64 [D, 4, 3]: next, across and previous seat as seen from the agent.
    """

    payoffs: Int64Array
    field: Int64Array


def play_match(agent: BatchAgent, field: BatchAgent, rules: Rules, deals: int, seed: int) -> Match:
    """Play every deal four times, with `agent` in each seat in turn and `field` in the other three.

    Args:
        agent: the agent to measure.
        field: the agent that plays the other three seats.
        rules: to play by.
        deals: how many deals.
        seed: of the deals and of the agents' draws; a deal of a seed does not depend on how many are played.
    """
    streams = new_streams(seed, deals * (1 + NUM_PLAYERS)).reshape(deals, 1 + NUM_PLAYERS)
    parts = []
    for first in range(0, deals, DEALS_AT_ONCE):
        part = streams[first : first + DEALS_AT_ONCE]
        games = new_games(len(part) * NUM_PLAYERS)
        deal_to_all_seats(games, part[:, 0].copy())
        parts.append(_play(games, (agent, field), rules, part[:, 1:].ravel()))
    payoffs = np.concatenate(parts).reshape(deals, NUM_PLAYERS, NUM_PLAYERS)
    relative = (np.arange(NUM_PLAYERS)[:, None] + np.arange(NUM_PLAYERS)) % NUM_PLAYERS
    turned = np.take_along_axis(payoffs, relative[None], axis=2)  # own payoff, then next, across, previous
    return Match(turned[:, :, 0], turned[:, :, 1:])


@kernel
def deal_to_all_seats(games: Games, random: Streams) -> None:
    """Start games 4d .. 4d + 3 with deal d, drawn from random[d]."""
    hands = np.zeros(NUM_PLAYERS, np.int64)
    for deal in range(random.size):
        shuffle_hands(random[deal : deal + 1], hands)
        for seat in range(NUM_PLAYERS):
            start(games[deal * NUM_PLAYERS + seat], hands)


def _play(games: Games, agents: tuple[BatchAgent, BatchAgent], rules: Rules, random: Streams) -> Int64Array:
    """Play games to their ends, agents[0] in seat i % 4 of game i; return payoffs by seat, int64 [N, 4]."""
    table = ruleset(rules)
    count = len(games)
    observations = np.empty((count, PACKED_SIZE), np.int64)
    masks, offsets = np.empty(count * MAX_LEGAL, np.int64), np.empty(count + 1, np.int64)
    moves = np.zeros(count, np.int64)
    while (games['winner'] < 0).any():
        players = games['player'].copy()
        observe_games(games, players, observations)
        list_legal(table, games, masks, offsets)
        is_field = players != np.arange(count) % NUM_PLAYERS
        for number, agent in enumerate(agents):
            where = np.flatnonzero((games['winner'] < 0) & (is_field == number))
            if where.size:
                moves[where] = _choose(agent, where, observations, masks, offsets, random)
        play_moves(table, games, moves)
    payoffs = np.empty((count, NUM_PLAYERS), np.int64)
    settle_games(table, games, payoffs)
    return payoffs


def _choose(
    agent: BatchAgent,
    where: Int64Array,
    observations: Int64Array,
    masks: Int64Array,
    offsets: Int64Array,
    random: Streams,
) -> Int64Array:
    """Return the moves of an agent in the games at places `where`."""
    counts = np.diff(offsets)[where]
    own_offsets = np.concatenate(([0], np.cumsum(counts)))
    own_masks = masks[np.repeat(offsets[where] - own_offsets[:-1], counts) + np.arange(own_offsets[-1])]
    own_random = random[where]
    places = agent.choose(observations[where], own_masks, own_offsets, own_random)
    random[where] = own_random
    return own_masks[places]
