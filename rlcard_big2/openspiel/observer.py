"""Observations of a state, as tensors of named pieces and as text."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from rlcard_big2.actions import ACTION_FEATURES, PASS_ID, action_text
from rlcard_big2.cards import NUM_CARDS, format_cards
from rlcard_big2.engine.big2 import big2_for, features_of
from rlcard_big2.engine.observation import layout_of
from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs import openspiel

if TYPE_CHECKING:
    from rlcard_big2.openspiel.game import Big2State


class Big2Observer(openspiel.Observer):
    """Observer of a seat; see the class of the kit."""

    @override
    def _shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        players = self._rules.players
        if self._all:
            yield 'hands', (players, NUM_CARDS)
        if self._recall:
            if self._own:
                yield 'hand', (NUM_CARDS,)
            if self._public:
                yield 'opener', (players,)
                yield 'moves', (big2_for(self._rules).max_plies, NUM_CARDS + 1)
            return
        if self._public:
            yield 'mover', (players,)
        layout = layout_of(players, self._rules.most_cards)
        own, public = layout[:2], layout[2:]  # the first two blocks of features are the hand
        yield from ((name, (size,)) for name, size in own if self._own)
        yield from ((name, (size,)) for name, size in public if self._public)

    @override
    def _write(self, state: 'Big2State', player: int) -> None:
        if self._all:
            self.dict['hands'][:] = [cards_in(self._hand(state, seat)) for seat in range(self._rules.players)]
        if self._recall:
            self._set_history(state, player)
        else:
            self._set_now(state, player)

    def _hand(self, state: 'Big2State', seat: int) -> int:
        return state.dealt_hand(seat) if self._recall else int(state.games['hands'][0, seat])

    def _set_history(self, state: 'Big2State', player: int) -> None:
        if self._own:
            self.dict['hand'][:] = cards_in(state.dealt_hand(player))
        if self._public and state.dealt == state.to_deal:
            self.dict['opener'][state.opener] = 1
            for ply, action in enumerate(state.moves()):
                self.dict['moves'][ply, :NUM_CARDS] = ACTION_FEATURES[action]
                self.dict['moves'][ply, NUM_CARDS] = action == PASS_ID

    def _set_now(self, state: 'Big2State', player: int) -> None:
        if self._public and state.current_player() >= 0:
            self.dict['mover'][state.current_player()] = 1
        count, unpack = features_of(self._rules)
        features = np.empty((1, count), np.int8)
        unpack(state.observation_of(player), features)
        self._set_features(features[0], layout_of(self._rules.players, self._rules.most_cards))

    @override
    def _lines(self, state: 'Big2State', player: int) -> Iterator[str]:
        suits = state.rules.suits
        seats = range(self._rules.players) if self._all else [player] if self._own else []
        verb = 'was dealt' if self._recall else 'holds'
        for seat in seats:
            yield f'seat {seat} {verb} {format_cards(self._hand(state, seat), suits)}'
        if self._public and state.dealt == state.to_deal:
            texts = [action_text(action, suits) for action in state.moves()]
            if self._recall:
                yield f'seat {state.opener} opens: {", ".join(texts)}'
            else:
                yield from _public_lines(state, texts)


def _public_lines(state: 'Big2State', texts: list[str]) -> Iterator[str]:
    """Describe the public position: turn, table, numbers of cards, cards played."""
    game, suits = state.games[0], state.rules.suits
    players = state.rules.players
    left = [hand.bit_count() for hand in game['hands'][:players].tolist()]
    yield f'seat {state.current_player()} to move, cards left {left}'
    yield f'to beat {format_cards(int(game["table"]), suits) or "nothing"}, passed {int(game["passed"]):0{players}b}'
    yield f'last {", ".join(texts[-players:])}'
    for seat, played in enumerate(game['played'][:players].tolist()):
        yield f'seat {seat} played {format_cards(played, suits)}'


def cards_in(mask: int) -> Int64Array:
    """Return whether each card is in a mask, int64 [52] of zeros and ones."""
    return mask >> np.arange(NUM_CARDS) & 1
