"""Packed observations and legal moves, written out as zeros and ones: the inputs of networks. Nothing needs torch."""

from functools import cache
from typing import NamedTuple

import numpy as np

from rlcard_big2.cards import NUM_CARDS
from rlcard_big2.engine.observation import OBSERVATION_SIZE, Observations, unpack, write_cards
from rlcard_big2.engine.ruleset import RuleTables, tabulate
from rlcard_big2.nets.afterstates import COST_SIZE, MOVE_SIZE, OUTLOOK_SIZE, write_move, write_outlook
from rlcard_big2.nets.hand_features import GENERAL
from rlcard_big2.nets.spec import Inputs
from rlcard_big2.rules import Rules
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
}


def observation_inputs(observations: Observations, inputs: Inputs) -> Int8Array:
    """Write packed observations, [N], as zeros and ones, int8 [N, WIDTHS[inputs].observation]."""
    out = np.empty((len(observations), WIDTHS[inputs].observation), np.int8)
    write_observations(observations, out)
    return out


def action_inputs(observations: Observations, moves: Int64Array, owners: Int64Array, inputs: Inputs) -> Int8Array:
    """Write moves as zeros and ones, int8 [M, WIDTHS[inputs].action].

    Args:
        observations: packed, [N], of games by the same rules.
        moves: masks, int64 [M].
        owners: the index of the observation that each move belongs to, int64 [M].
        inputs: what the network is given.
    """
    out = np.zeros((len(moves), WIDTHS[inputs].action), np.int8)
    rules = _rules_in(observations) if inputs == 'rules' else GENERAL
    write_actions(rules, observations, moves, owners, out)
    return out


def _rules_in(observations: Observations) -> RuleTables:
    numbers = observations['rules']
    if not numbers.size:
        return GENERAL
    if (numbers != numbers[0]).any():
        raise ValueError('observations: expected all of games by the same rules')
    return _rules_of(int(numbers[0]))


@cache
def _rules_of(number: int) -> RuleTables:
    return tabulate(Rules.of_number(number))


@kernel
def write_observations(observations: Observations, out: Int8Array) -> None:
    """Write packed observations, [N], as zeros and ones into `out`, see `observation_inputs`."""
    for i in range(len(observations)):
        unpack(observations[i], out[i])
        if out.shape[1] > OBSERVATION_SIZE:
            write_outlook(observations[i], out[i, OBSERVATION_SIZE:])


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
