"""Matches: one agent in each of the four seats against three of another, the same deals in every seat."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rlcard_big2.duplicate.block import BLOCK, Outcome, join, make_player, play_deals
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.duplicate.players import SECONDS
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.rules import Rules
from rlcard_big2.threads import limit_threads

SEATS = np.arange(NUM_PLAYERS)


class Match(NamedTuple):
    """The games of one agent over duplicate deals, by deal and by its seat."""

    payoffs: Int64Array  # [D, 4], its own, in units of one card
    field: Int64Array  # [D, 4, 3], of the next, across and previous seat as seen from it
    cards_left: Int64Array  # [D, 4], its own
    plies: Int64Array  # [D, 4]


def seatings(agent: int, field: int) -> Int64Array:
    """Return the four seatings of `agent` against three of `field`, int64 [4, 4]; in seating s it has seat s."""
    return np.where(np.eye(NUM_PLAYERS, dtype=np.bool_), agent, field)


def seen_from_seats(outcome: Outcome) -> Match:
    """Turn the outcome of the four seatings of one agent so that it comes first in each game."""
    turn = (SEATS[:, None] + np.arange(NUM_PLAYERS)) % NUM_PLAYERS  # [4, 4], itself, next, across, previous
    payoffs = np.take_along_axis(outcome.payoffs, turn[None], axis=2)
    left = outcome.cards_left[:, SEATS, SEATS]
    return Match(payoffs[:, :, 0], payoffs[:, :, 1:], left, outcome.plies)


def join_matches(matches: Sequence[Match]) -> Match:
    """Join matches on the same deals, as if they had been one of as many more games per deal."""
    return Match(*(np.concatenate(parts, axis=1) for parts in zip(*matches, strict=True)))


def play_match(agent: object, field: object, rules: Rules, deals: int, seed: int) -> Match:
    """Play a match between two agents in this process.

    Args:
        agent: the agent to measure, a `BatchAgent` or one of RLCard's protocol.
        field: the agent that plays the other three seats.
        rules: to play by.
        deals: how many deals; each is played four times.
        seed: of the deals and of the agents' draws; a deal of a seed does not depend on how many are played.
    """
    players = [make_player(agent, SECONDS), make_player(field, SECONDS)]
    names, cards = ('the agent', 'the field'), deals_from_seed(seed, deals)
    limit_threads()
    blocks = [
        play_deals(players, names, seatings(0, 1), rules, cards[first : first + BLOCK], first, seed)
        for first in range(0, deals, BLOCK)
    ]
    return seen_from_seats(join(blocks))
