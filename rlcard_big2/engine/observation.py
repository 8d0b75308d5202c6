"""Observations of a seat: a packed record, and its 507 + 4 x 208 features as Chow and Cheng (2022) define them.

A packed observation is a record of OBSERVATION: everything public and the seat's own hand, so that `restore` can
continue the game from it with any deal of the hidden cards. `unpack` writes the features; LAYOUT lists them in order,
each with its size. Seats are relative to the viewer: 0 itself, then next, across and previous in the order of play.
"""

from typing import Annotated, Protocol

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.bitboard import popcount
from rlcard_big2.engine.ruleset import RuleTable
from rlcard_big2.engine.state import HAND_SIZE, HISTORY, NUM_PLAYERS, RUNNING, GameRecord
from rlcard_kit.arrays import Feature, Int8Array, Int64Array, record_dtype
from rlcard_kit.jit import kernel

OPPONENTS = ('next', 'across', 'previous')
NUM_OPPONENTS = len(OPPONENTS)


class Observation(Protocol):
    """Observation of one seat, a record of OBSERVATION; masks are of cards."""

    hand: Annotated[int, np.int64]
    """Its own cards."""
    others: Annotated[int, np.int64]
    """The cards that it has not seen: its opponents', and those out of play."""
    table: Annotated[int, np.int64]
    """The combination to beat; 0 with control."""
    beat: Annotated[int, np.int64]
    """Its strength, see `ruleset.rated`; 0 with control."""
    last: Annotated[Int64Array, np.int64, NUM_OPPONENTS]
    """The last move of each opponent; 0 for a pass."""
    played: Annotated[Int64Array, np.int64, NUM_OPPONENTS]
    """The cards that each opponent has played."""
    history: Annotated[Int64Array, np.int64, HISTORY]
    """The last 16 moves, oldest first; 0 for a pass and before the first."""
    rules: Annotated[int, np.int64]
    """The rules of the game, see `ruleset.number_of_rules`."""
    kinds: Annotated[NDArray[np.int16], np.int16, NUM_PLAYERS]
    """Bit set of the kinds of combinations that each seat has played."""
    places: Annotated[NDArray[np.int16], np.int16, NUM_PLAYERS]
    """Place of each seat that is out, from 1; 0 for the others, and under rules without places."""
    ply: Annotated[int, np.int16]
    """Moves made, passes included."""
    left: Annotated[Int8Array, np.int8, NUM_OPPONENTS]
    """Number of cards that each opponent holds."""
    passes: Annotated[int, np.int8]
    """Passes since the combination to beat was played."""
    passed: Annotated[int, np.int8]
    """Bit set of the seats that have passed since the trick began."""
    mover: Annotated[int, np.int8]
    """The seat to move."""


OBSERVATION = record_dtype(Observation)
Observations = NDArray[np.void]  # [N] of OBSERVATION


def opponents_of(players: int) -> tuple[str, ...]:
    """Return the names of the opponents in the order of play."""
    return OPPONENTS if players == NUM_PLAYERS else ('next', 'previous')[: players - 1]


def layout_of(players: int, most: int) -> tuple[Feature, ...]:
    """Return the layout for a number of players, given the cards of the largest hand at the deal."""
    return _state_layout_of(players, most) + MOVES_LAYOUT


def _state_layout_of(players: int, most: int) -> tuple[Feature, ...]:
    opponents = opponents_of(players)
    return (
        Feature('own hand', NUM_CARDS),
        Feature("opponents' hands together", NUM_CARDS),
        Feature('combination to beat, zeros with control', NUM_CARDS),
        *(Feature(f'{who}: last move, zeros for a pass', NUM_CARDS) for who in opponents),
        *(Feature(f'{who}: cards left, one-hot from 1', most) for who in opponents),
        *(Feature(f'{who}: cards played', NUM_CARDS) for who in opponents),
    )


STATE_LAYOUT = _state_layout_of(NUM_PLAYERS, HAND_SIZE)
MOVES_LAYOUT = tuple(Feature(f'move {i - HISTORY}', NUM_CARDS) for i in range(HISTORY))
LAYOUT = STATE_LAYOUT + MOVES_LAYOUT

STATE_SIZE = sum(feature.size for feature in STATE_LAYOUT)  # 507
OBSERVATION_SIZE = sum(feature.size for feature in LAYOUT)  # 507 + 832


def new_observations(count: int) -> Observations:
    """Allocate packed observations, [count] of OBSERVATION."""
    return np.ndarray(count, OBSERVATION, bytearray(count * OBSERVATION.itemsize))  # three times as fast as np.empty


@kernel
def observe(rules: RuleTable, game: GameRecord, seat: int, out: Observation) -> None:
    """Write the observation of `seat` into `out`, whether or not it is to move."""
    out.rules = rules.number
    out.hand = game.hands[seat]
    out.table = game.table
    out.beat = game.beat
    out.ply = game.ply
    out.passes = game.passes
    if rules.players == NUM_PLAYERS:
        seen = _observe_seats(game, seat, NUM_PLAYERS, out)  # a constant, by which the compiler makes it quicker
    else:
        seen = _observe_seats(game, seat, rules.players, out)
    out.others = rules.pack & ~seen
    for i in range(HISTORY):
        out.history[i] = _move(game, HISTORY - i)


@kernel
def _observe_seats(game: GameRecord, seat: int, players: int, out: Observation) -> int:
    """Write what is known of each seat, zeros for absent ones; return the mask of the cards seen."""
    out.mover = (game.player - seat) % players
    out.passed = (game.passed >> seat | game.passed << players - seat) & (1 << players) - 1
    out.kinds[0], out.places[0] = game.kinds[seat], game.places[seat]
    seen = game.hands[seat] | game.played[seat]
    for i in range(players - 1):
        opponent = (seat + 1 + i) % players
        seen |= game.played[opponent]
        out.left[i] = popcount(game.hands[opponent])
        age = (game.player - opponent - 1) % players + 1  # moves since the opponent's own
        out.last[i] = _move(game, age)
        out.played[i] = game.played[opponent]
        out.kinds[i + 1], out.places[i + 1] = game.kinds[opponent], game.places[opponent]
    for i in range(players - 1, NUM_OPPONENTS):
        out.left[i] = out.last[i] = out.played[i] = out.kinds[i + 1] = out.places[i + 1] = 0
    return seen


@kernel
def _move(game: GameRecord, age: int) -> int:
    """Return the mask of the move made `age` moves ago; 0 before the first."""
    return game.history[(game.ply - age) % HISTORY] if age <= game.ply else 0


@kernel
def restore(rules: RuleTable, observation: Observation, hands: Int64Array, seat: int, out: GameRecord) -> None:
    """Write the game that an observation is of into `out`, given a deal of the hidden cards: the inverse of `observe`.

    Args:
        rules: of the game.
        observation: what a seat sees of a game that is not over.
        hands: int64 [4], masks of the cards now held: `observation.hand` first, then the opponents' in order of play.
        seat: the viewer's.
        out: a record of GAME.
    """
    players, seen = rules.players, observation.hand | observation.others
    for i in range(NUM_PLAYERS):
        index = (seat + i) % players if i < players else i  # absent seats are the last
        out.hands[index] = hands[i]
        out.kinds[index], out.places[index] = observation.kinds[i], observation.places[i]
        if i > 0:
            out.played[index] = observation.played[i - 1]
            seen |= observation.played[i - 1]
    out.played[seat] = rules.pack & ~seen
    out.ply = observation.ply
    for i in range(HISTORY):
        out.history[(observation.ply - HISTORY + i) % HISTORY] = observation.history[i]
    out.player = (seat + observation.mover) % players
    out.table = observation.table
    out.beat = observation.beat
    out.passes = observation.passes
    out.passed = (observation.passed << seat | observation.passed >> players - seat) & (1 << players) - 1
    out.winner = RUNNING


@kernel
def unpack(observation: Observation, opponents: int, most: int, out: Int8Array) -> None:
    """Write a packed observation as zeros and ones into `out`, given the opponents and the most cards of a hand.

    Absent opponents have zeros, and more cards left count as the most.
    """
    out[:] = 0
    end = _append(observation.hand, out, 0)
    end = _append(observation.others, out, end)
    end = _append(observation.table, out, end)
    for mask in observation.last[:opponents]:
        end = _append(mask, out, end)
    for left in observation.left[:opponents]:
        if left > 0:
            out[end + min(left, most) - 1] = 1
        end += most
    for mask in observation.played[:opponents]:
        end = _append(mask, out, end)
    for mask in observation.history:
        end = _append(mask, out, end)


@kernel
def _append(mask: int, out: Int8Array, start: int) -> int:
    write_cards(mask, out[start : start + NUM_CARDS])
    return start + NUM_CARDS


@kernel
def write_cards(mask: int, out: Int8Array) -> None:
    """Set `out`, zeros [52], to 1 at each card of a mask."""
    while mask != 0:
        out[popcount((mask & -mask) - 1)] = 1
        mask &= mask - 1
