"""Observations of a state, as tensors of named pieces and as text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyspiel
from numpy.typing import NDArray

from rlcard_big2.actions import PASS_ID, action_text
from rlcard_big2.cards import NUM_CARDS, format_cards
from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.batch import observe_games, unpack_observations
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.observation import LAYOUT, OBSERVATION_SIZE, new_observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import NUM_PLAYERS

if TYPE_CHECKING:
    from rlcard_big2.openspiel.game import Big2State


class Piece(NamedTuple):
    """A part of an observation."""

    name: str
    shape: tuple[int, ...]


class Big2Observer:
    """Observer of a seat: a tensor of named pieces, and text; see `docs/openspiel.md`.

    Args:
        iig_obs_type: what is asked for: public and private information, of now or of the whole game.
    """

    def __init__(self, iig_obs_type: Any) -> None:
        private = iig_obs_type.private_info
        self._public = iig_obs_type.public_info
        self._recall = iig_obs_type.perfect_recall
        self._own = private == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._all = private == pyspiel.PrivateInfoType.ALL_PLAYERS
        pieces = list(self._pieces())
        self.tensor = np.zeros(sum(int(np.prod(piece.shape)) for piece in pieces), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        start = 0
        for name, shape in pieces:
            end = start + int(np.prod(shape))
            self.dict[name] = self.tensor[start:end].reshape(shape)
            start = end

    def _pieces(self) -> Iterator[Piece]:
        yield Piece('player', (NUM_PLAYERS,))
        if self._all:
            yield Piece('hands', (NUM_PLAYERS, NUM_CARDS))
        if self._recall:
            if self._own:
                yield Piece('hand', (NUM_CARDS,))
            if self._public:
                yield Piece('opener', (NUM_PLAYERS,))
                yield Piece('moves', (BIG2.max_plies, NUM_CARDS + 1))
            return
        if self._public:
            yield Piece('mover', (NUM_PLAYERS,))
        yield from (Piece(name, (size,)) for name, size in self._features())

    def _features(self) -> list[tuple[str, int]]:
        """Return the blocks of the features that are shown: the first two are the hand."""
        own, public = LAYOUT[:2], LAYOUT[2:]
        return [*(own if self._own else ()), *(public if self._public else ())]

    def set_from(self, state: 'Big2State', player: int) -> None:
        """Write what a seat sees into `tensor`, float32, of which the arrays in `dict` are parts."""
        self.tensor.fill(0)
        self.dict['player'][player] = 1
        if self._all:
            for seat in range(NUM_PLAYERS):
                _write_cards(self._hand(state, seat), self.dict['hands'][seat])
        if self._recall:
            self._set_history(state, player)
        else:
            self._set_now(state, player)

    def _hand(self, state: 'Big2State', seat: int) -> int:
        return state.dealt_hand(seat) if self._recall else int(state.games['hands'][0, seat])

    def _set_history(self, state: 'Big2State', player: int) -> None:
        if self._own:
            _write_cards(state.dealt_hand(player), self.dict['hand'])
        if self._public and state.dealt == NUM_CARDS:
            self.dict['opener'][state.opener] = 1
            for ply, action in enumerate(state.moves()):
                _write_cards(int(ACTION_MASKS[action]), self.dict['moves'][ply, :NUM_CARDS])
                self.dict['moves'][ply, NUM_CARDS] = action == PASS_ID

    def _set_now(self, state: 'Big2State', player: int) -> None:
        if self._public and state.current_player() >= 0:
            self.dict['mover'][state.current_player()] = 1
        packed, features = new_observations(1), np.empty((1, OBSERVATION_SIZE), np.int8)
        observe_games(tabulate(state.rules), state.games, np.array([player]), packed)
        unpack_observations(packed, features)
        start = 0
        for name, size in LAYOUT:
            if name in self.dict:
                self.dict[name][:] = features[0, start : start + size]
            start += size

    def string_from(self, state: 'Big2State', player: int) -> str:
        """Return the observation of a seat as text."""
        return '\n'.join(self._lines(state, player))

    def _lines(self, state: 'Big2State', player: int) -> Iterator[str]:
        suits = state.rules.suits
        seats = range(NUM_PLAYERS) if self._all else [player] if self._own else []
        verb = 'was dealt' if self._recall else 'holds'
        for seat in seats:
            yield f'seat {seat} {verb} {format_cards(self._hand(state, seat), suits)}'
        if self._public and state.dealt == NUM_CARDS:
            texts = [action_text(action, suits) for action in state.moves()]
            if self._recall:
                yield f'seat {state.opener} opens: {", ".join(texts)}'
            else:
                yield from _public_lines(state, texts)


def _public_lines(state: 'Big2State', texts: list[str]) -> Iterator[str]:
    """Describe what everybody sees now: whose turn it is, the table, the numbers of cards, what was played."""
    game, suits = state.games[0], state.rules.suits
    left = [hand.bit_count() for hand in game['hands'].tolist()]
    yield f'seat {state.current_player()} to move, cards left {left}'
    yield f'to beat {format_cards(int(game["table"]), suits) or "nothing"}, passed {int(game["passed"]):04b}'
    yield f'last {", ".join(texts[-NUM_PLAYERS:])}'
    for seat, played in enumerate(game['played'].tolist()):
        yield f'seat {seat} played {format_cards(played, suits)}'


def _write_cards(mask: int, out: NDArray[np.float32]) -> None:
    out[:] = mask >> np.arange(NUM_CARDS) & 1
