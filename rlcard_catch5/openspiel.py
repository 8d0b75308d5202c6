"""Catch Five as a game of OpenSpiel: importing this module registers 'python_catch5'. Chance chooses the dealer."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import FIRST_CARD, FIRST_TRUMP, NUM_ACTIONS, TEXTS
from rlcard_catch5.cards import NUM_CARDS, format_card, format_cards, mask_of
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import LAYOUT, OBSERVATION_SIZE
from rlcard_catch5.engine.state import (
    CARDS_PLAYED,
    DEAL,
    DEALT,
    HAND_SIZE,
    MOST_STOCK,
    NOTHING,
    NUM_PLAYERS,
    NUM_PLIES,
    new_games,
)
from rlcard_catch5.engine.tricks import suit_cards
from rlcard_catch5.notation import position_text, scene_of_game, trace_of
from rlcard_catch5.registry import REGISTRY
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.envs import openspiel
from rlcard_kit.envs.action_set import ActionSet, Numbered
from rlcard_kit.envs.openspiel import pyspiel
from rlcard_kit.errors import IllegalActionError

FIRST_DEALER = NUM_CARDS  # actions of chance: card ids, then dealers
PRIVATE = ('own hand', 'own thrown cards')  # pieces of an observation


class Catch5State(openspiel.State):
    """A game, from its first chance node on.

    Chance chooses the dealer, and deals to each seat in turn; its actions are card ids, or 52 and a seat. Once trumps
    are named it fills the hands up, one seat after the other. If the seat served last takes trumps that are left,
    chance chooses which of its other cards it keeps.
    """

    def __init__(self, game: openspiel.Game) -> None:
        super().__init__(game, new_games(1), [FIRST_DEALER + seat for seat in range(NUM_PLAYERS)])
        self.deal = np.zeros(1, DEAL)
        self.deal['redeal'] = self.deal['leftover'] = NOTHING
        self.dealt: list[list[int]] = [[] for _ in range(NUM_PLAYERS)]
        self.trump: int | None = None  # the action that names trumps, until the hands are full
        self.drawn: list[int] = []  # in the refill
        self.kept: list[int] | None = None  # by the seat served last, while chance chooses

    @property
    def has_begun(self) -> bool:
        """Whether the cards are dealt."""
        return sum(map(len, self.dealt)) == NUM_PLAYERS * DEALT

    @property
    def is_filled(self) -> bool:
        """Whether trumps are named and the hands are full."""
        return self.has_begun and bool(self.games['trump'][0] != NOTHING)

    def filled(self, seat: int) -> int:
        """Return the mask of the six cards of a seat after the refill; 0 before."""
        return int(self.games['hands'][0, seat] | self.games['played'][0, seat]) if self.is_filled else 0

    @override
    def draw(self, action: int) -> None:
        if action not in self.outcomes:
            possible = ', '.join(map(self._chance_text, self.outcomes[:3]))
            raise IllegalActionError(f'chance cannot choose {action}: possible are {possible}, ...')
        if action >= FIRST_DEALER:
            self.deal['dealer'] = action - FIRST_DEALER
            self.outcomes = list(range(NUM_CARDS))
            return
        self.outcomes.remove(action)
        if self.trump is not None:
            (self.drawn if self.kept is None else self.kept).append(action)
            self._refill(self.trump)
            return
        min(self.dealt, key=len).append(action)
        if self.has_begun:
            self.deal['hands'] = list(map(mask_of, self.dealt))
            self._card_game.init(self.games, self.deal)
            self.outcomes = []

    @override
    def play(self, move: int) -> None:
        if FIRST_TRUMP <= move < FIRST_CARD:
            self.trump, self.outcomes = move, []
            self._refill(move)
        else:
            super().play(move)

    def _refill(self, trump: int) -> None:
        """Let chance make the next choice of the refill, or play on if there is none."""
        self._order('redeal', self.drawn[::-1], MOST_STOCK)
        trial = self.games.copy()  # after trumps are named; chance is drawn where it is not known yet
        self._card_game.step(self._rules_arrays, trial, np.array([trump]))
        stock = [card for card in trial['redeal'][0].tolist() if card != NOTHING]
        if len(self.drawn) < min(int(trial['drawn'].sum()), len(stock)):
            self.outcomes = sorted(set(stock) - set(self.drawn))
            return
        others = [card for card in trial['leftover'][0].tolist() if card != NOTHING]
        last = (int(trial['dealer'][0]) + (0 if self.rules.dealer_served == 'last' else -1)) % NUM_PLAYERS
        hand = int(trial['hands'][0, last]) & ~suit_cards(trump - FIRST_TRUMP)
        kept = self.kept or []
        if others and len(kept) < hand.bit_count() < len(others):
            self.kept, self.outcomes = kept, sorted(set(others) - set(kept))
            return
        self._order('leftover', [*kept, *sorted(set(others) - set(kept))], HAND_SIZE)
        super().play(trump)
        self.trump, self.outcomes = None, []

    def _order(self, name: str, cards: list[int], size: int) -> None:
        self.games[name][0] = cards + [NOTHING] * (size - len(cards))

    def _chance_text(self, action: int) -> str:
        return f'dealer {action - FIRST_DEALER}' if action >= FIRST_DEALER else f'deal {format_card(action)}'

    def _action_to_string(self, player: int, action: int) -> str:
        return self._chance_text(action) if player < 0 else TEXTS[action]

    def __str__(self) -> str:
        if not self.has_begun:
            return '\n'.join(f'seat {i}: {format_cards(mask_of(hand))}' for i, hand in enumerate(self.dealt))
        return position_text(scene_of_game(self.games, self.rules, trace_of(self.games)))


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
    def _write(self, state: Catch5State, player: int) -> None:
        if self._all:
            self.dict['hands'][:] = [openspiel.card_bits(self._hand(state, seat)) for seat in range(NUM_PLAYERS)]
        if not self._recall:
            features = np.empty((1, OBSERVATION_SIZE), np.int8)
            unpack_observations(state.observation_of(player), features)
            self._set_features(features[0] * state.has_begun, LAYOUT)
            if self._public and state.current_player() >= 0:
                self.dict['mover'][state.current_player()] = 1
            return
        if self._own:
            self.dict['dealt'][:] = openspiel.card_bits(mask_of(state.dealt[player]))
            self.dict['filled'][:] = openspiel.card_bits(state.filled(player))
        if self._public and state.has_begun:
            self.dict['dealer'][int(state.games['dealer'][0])] = 1
            self.dict['dead trumps'][:] = openspiel.card_bits(int(state.games['dead'][0]))
            if state.is_filled:
                self.dict['lacked'][range(NUM_PLAYERS), state.games['drawn'][0].astype(np.int64)] = 1
            moves = state.moves()
            self.dict['moves'][range(len(moves)), moves] = 1

    def _hand(self, state: Catch5State, seat: int) -> int:
        """Return the cards that a seat holds, or with perfect recall, was dealt, a mask."""
        if self._recall or not state.has_begun:
            return mask_of(state.dealt[seat])
        return int(state.games['hands'][0, seat])

    @override
    def _lines(self, state: Catch5State, player: int) -> Iterator[str]:
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


class Catch5OpenSpielGame(openspiel.Game):
    """The game; `pyspiel.load_game('python_catch5(rules=table)')` makes one. See the class of the kit."""

    kind = openspiel.game_type(
        'python_catch5', 'Catch Five', pyspiel.GameType.Utility.GENERAL_SUM, (NUM_PLAYERS, NUM_PLAYERS), 'paper'
    )
    card_game = CATCH5
    state_type, observer_type = Catch5State, Catch5Observer

    @override
    def actions_of(self, params: dict[str, Any]) -> ActionSet:
        return Numbered(NUM_ACTIONS)

    @override
    def sizes(self) -> dict[str, Any]:
        most = MOST_BID * (1 + self.rules.nine_doubled)
        bounds = {'min_utility': -float(MOST_BID), 'max_utility': float(most)}
        return {'max_chance_outcomes': NUM_CARDS + NUM_PLAYERS, **bounds}

    def max_chance_nodes_in_history(self) -> int:
        """Return the largest number of chance nodes: the dealer, the deal, the refill, and what its last seat keeps."""
        return 1 + NUM_PLAYERS * DEALT + CARDS_PLAYED + HAND_SIZE


class AgentBot(openspiel.AgentBot):
    """An agent of this package as a bot of OpenSpiel; see the class of the kit."""

    registry = REGISTRY


openspiel.register(Catch5OpenSpielGame)
