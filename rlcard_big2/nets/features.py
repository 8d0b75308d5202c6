"""Packed observations and legal moves, written out as zeros and ones: the inputs of networks. Nothing needs torch."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.observation import NUM_OPPONENTS, OBSERVATION_SIZE, Observations, unpack, write_cards
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import HAND_SIZE
from rlcard_big2.nets.afterstates import COST_SIZE, MOVE_SIZE, OUTLOOK_SIZE, write_move, write_outlook
from rlcard_big2.nets.hand_features import GENERAL
from rlcard_big2.nets.rule_features import RULES_SIZE, rule_inputs, tables_of
from rlcard_big2.nets.spec import TABLES, Inputs
from rlcard_kit.arrays import Int8Array, Int64Array
from rlcard_kit.jit import kernel


class Widths(NamedTuple):
    """Number of inputs of a network."""

    observation: int
    action: int


WIDTHS: dict[Inputs, Widths] = {
    'cards': Widths(OBSERVATION_SIZE, NUM_CARDS),
    'afterstates': Widths(OBSERVATION_SIZE + OUTLOOK_SIZE, MOVE_SIZE),
    'rules': Widths(OBSERVATION_SIZE + OUTLOOK_SIZE, MOVE_SIZE + COST_SIZE),
    'tables': Widths(OBSERVATION_SIZE + OUTLOOK_SIZE + RULES_SIZE, MOVE_SIZE + COST_SIZE),
}


def observation_inputs(observations: Observations, inputs: Inputs) -> Int8Array:
    """Write packed observations, [N], as zeros and ones, int8 [N, WIDTHS[inputs].observation]."""
    out = np.empty((len(observations), WIDTHS[inputs].observation), np.int8)
    write_observations(observations, out)
    if inputs == TABLES:
        for number, rows in _by_rules(observations):
            out[rows, -RULES_SIZE:] = rule_inputs(number)
    return out


def action_inputs(observations: Observations, moves: Int64Array, owners: Int64Array, inputs: Inputs) -> Int8Array:
    """Write moves as zeros and ones, int8 [M, WIDTHS[inputs].action].

    Args:
        observations: packed, [N].
        moves: masks, int64 [M].
        owners: the index of the observation that each move belongs to, int64 [M].
        inputs: what the network is given.
    """
    out = np.zeros((len(moves), WIDTHS[inputs].action), np.int8)
    if WIDTHS[inputs].action <= MOVE_SIZE:  # nothing depends on the rules
        write_actions(GENERAL, observations, moves, owners, out)
        return out
    for number, rows in _by_rules(observations):
        where = slice(None) if len(rows) == len(observations) else np.flatnonzero(np.isin(owners, rows))
        part = out[where]
        write_actions(tables_of(number), observations, moves[where], owners[where], part)
        out[where] = part
    return out


def _by_rules(observations: Observations) -> Iterator[tuple[int, Int64Array]]:
    """Yield the number of each of the rules in packed observations, and the indices of their games."""
    numbers = observations['rules']
    for number in np.unique(numbers[numbers != 0]):  # those of padding are 0
        yield int(number), np.flatnonzero(numbers == number)


@kernel
def write_observations(observations: Observations, out: Int8Array) -> None:
    """Write packed observations, [N], as zeros and ones into `out`, see `observation_inputs`."""
    for i in range(len(observations)):
        unpack(observations[i], NUM_OPPONENTS, HAND_SIZE, out[i])
        if out.shape[1] > OBSERVATION_SIZE:
            write_outlook(observations[i], out[i, OBSERVATION_SIZE : OBSERVATION_SIZE + OUTLOOK_SIZE])


@kernel
def write_actions(
    rules: RuleTables, observations: Observations, moves: Int64Array, owners: Int64Array, out: Int8Array
) -> None:
    """Write moves as zeros and ones into `out`, zeros, see `action_inputs`; `rules` are GENERAL or the game's."""
    for i in range(moves.size):
        if out.shape[1] > NUM_CARDS:
            write_move(rules[0], observations[owners[i]], moves[i], out[i])
        else:
            write_cards(moves[i], out[i])
