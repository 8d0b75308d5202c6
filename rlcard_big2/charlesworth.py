"""The published PPO views of a game: 412 inputs and 1695 action indices relative to the sorted hand.

`rlcard_big2.engine.charlesworth` has the source, the quirks and the numbering.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.actions import action_id, action_mask
from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.charlesworth import NUM_INDICES, OBSERVATION_SIZE, cards_at, index_of, write_inputs
from rlcard_kit.errors import IllegalActionError

if TYPE_CHECKING:
    from rlcard_big2.env import Big2Env

__all__ = ['NUM_INDICES', 'OBSERVATION_SIZE', 'from_index', 'legal_mask', 'observation', 'to_index']


def observation(env: 'Big2Env') -> NDArray[np.int8]:
    """Return the 412 inputs for the player to move, int8 [412]; RulesError unless four players hold thirteen cards."""
    env.game.rules.need_usual_size('rlcard_big2.charlesworth')
    out = np.empty((1, OBSERVATION_SIZE), np.int8)
    write_inputs(env.game.get_state(env.game.player_id)['packed'], out)
    return out[0]


def legal_mask(env: 'Big2Env') -> NDArray[np.bool_]:
    """Return whether the player to move may choose each of the 1695 indices, bool [1695]; RulesError likewise."""
    env.game.rules.need_usual_size('rlcard_big2.charlesworth')
    hand, out = env.game.players[env.game.player_id].hand_mask, np.zeros(NUM_INDICES, np.bool_)
    for mask in ACTION_MASKS[env.game.legal].tolist():
        out[index_of(mask, hand)] = True
    return out


def to_index(action: int, hand_mask: int) -> int:
    """Return the index of an action id in a hand; IllegalActionError if the hand lacks the cards."""
    mask = action_mask(action)
    if mask & ~hand_mask:
        raise IllegalActionError(f'action {action} needs cards that the hand {hand_mask:#x} does not hold')
    return int(index_of(mask, hand_mask))


def from_index(index: int, hand_mask: int) -> int:
    """Return the action id of an index in a hand; IllegalActionError if it does not mean a combination."""
    if not 0 <= index < NUM_INDICES:
        raise IllegalActionError(f'index {index!r} does not exist: indices run from 0 to {NUM_INDICES - 1}')
    mask = int(cards_at(index, hand_mask))
    if mask < 0:
        raise IllegalActionError(f'index {index} means positions beyond the {hand_mask.bit_count()} cards of the hand')
    try:
        return action_id(mask)
    except ValueError as error:
        raise IllegalActionError(f'index {index} means no combination in this hand: {error}') from error
