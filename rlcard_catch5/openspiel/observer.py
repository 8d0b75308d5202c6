"""Observations of a state, as tensors of named pieces and as text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import NUM_ACTIONS, TEXTS
from rlcard_catch5.cards import NUM_CARDS, format_cards, mask_of
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.observation import LAYOUT, OBSERVATION_SIZE
from rlcard_catch5.engine.state import HAND_SIZE, NUM_PLAYERS, NUM_PLIES
from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs import openspiel

if TYPE_CHECKING:
    from rlcard_catch5.openspiel.game import Catch5State

PRIVATE = ('own hand', 'own thrown cards')


class Catch5Observer(openspiel.Observer):
    """Observer of a seat; see the class of the kit."""

    @override
    def _shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        if self._all:
            yield 'hands', (NUM_PLAYERS, NUM_CARDS)
        if self._recall and self._own:
            yield from ((name, (NUM_CARDS,)) for name in ('dealt', 'filled'))
        if self._recall and self._public:
            yield 'dealer', (NUM_PLAYERS,)
            yield 'lacked', (NUM_PLAYERS, HAND_SIZE + 1)
            yield 'dead trumps', (NUM_CARDS,)
            yield 'moves', (NUM_PLIES, NUM_ACTIONS)
        if not self._recall and self._public:
            yield 'mover', (NUM_PLAYERS,)
        if not self._recall:
            yield from ((name, (size,)) for name, size in LAYOUT if (self._own if name in PRIVATE else self._public))

    @override
    def _write(self, state: 'Catch5State', player: int) -> None:
        if self._all:
            self.dict['hands'][:] = [_bits(self._hand(state, seat)) for seat in range(NUM_PLAYERS)]
        if not self._recall:
            features = np.empty((1, OBSERVATION_SIZE), np.int8)
            unpack_observations(state.observation_of(player), features)
            self._set_features(features[0] * state.has_begun, LAYOUT)
            if self._public and state.current_player() >= 0:
                self.dict['mover'][state.current_player()] = 1
            return
        if self._own:
            self.dict['dealt'][:] = _bits(mask_of(state.dealt[player]))
            self.dict['filled'][:] = _bits(state.filled(player))
        if self._public and state.has_begun:
            self.dict['dealer'][int(state.games['dealer'][0])] = 1
            self.dict['dead trumps'][:] = _bits(int(state.games['dead'][0]))
            if state.is_filled:
                self.dict['lacked'][range(NUM_PLAYERS), state.games['drawn'][0].astype(np.int64)] = 1
            moves = state.moves()
            self.dict['moves'][range(len(moves)), moves] = 1

    def _hand(self, state: 'Catch5State', seat: int) -> int:
        """Return the cards that a seat holds, or with perfect recall, was dealt, a mask."""
        if self._recall or not state.has_begun:
            return mask_of(state.dealt[seat])
        return int(state.games['hands'][0, seat])

    @override
    def _lines(self, state: 'Catch5State', player: int) -> Iterator[str]:
        seats = range(NUM_PLAYERS) if self._all else [player] if self._own else []
        for seat in seats:
            yield f'seat {seat} {"was dealt" if self._recall else "holds"} {format_cards(self._hand(state, seat))}'
            if state.is_filled:
                yield f'seat {seat} was filled up to {format_cards(state.filled(seat))}'
        if self._public and state.has_begun:
            yield f'seat {int(state.games["dealer"][0])} deals'
            yield f'moves {", ".join(TEXTS[action] for action in state.moves())}'
            if state.is_filled:
                lacked, dead = state.games['drawn'][0].tolist(), format_cards(int(state.games['dead'][0]))
                yield f'cards lacked {lacked}, dead {dead or "none"}, points {state.games["points"][0].tolist()}'


def _bits(mask: int) -> Int64Array:
    """Return whether each card is in a mask, int64 [52] of zeros and ones."""
    return mask >> np.arange(NUM_CARDS) & 1
