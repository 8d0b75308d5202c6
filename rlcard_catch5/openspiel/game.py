"""The game and its states, from the dealer that chance chooses."""

from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import FIRST_CARD, FIRST_TRUMP, NUM_ACTIONS, TEXTS
from rlcard_catch5.cards import NUM_CARDS, format_card, format_cards, mask_of
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import (
    CARDS_PLAYED,
    DEAL,
    DEALT,
    HAND_SIZE,
    MOST_STOCK,
    NOTHING,
    NUM_PLAYERS,
    new_games,
)
from rlcard_catch5.engine.tricks import suit_cards
from rlcard_catch5.notation import position_text, trace_of
from rlcard_catch5.openspiel.observer import Catch5Observer
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.envs import openspiel
from rlcard_kit.envs.openspiel import pyspiel
from rlcard_kit.errors import IllegalActionError

FIRST_DEALER = NUM_CARDS  # actions of chance: card ids, then dealers


class Catch5Game(openspiel.Game):
    """The game; `pyspiel.load_game('python_catch5(rules=table)')` makes one. See the class of the kit."""

    kind = openspiel.game_type(
        'python_catch5', 'Catch Five', pyspiel.GameType.Utility.GENERAL_SUM, (NUM_PLAYERS, NUM_PLAYERS), 'paper'
    )
    card_game = CATCH5

    @override
    def sizes(self) -> dict[str, Any]:
        most = MOST_BID * (1 + self.rules.nine_doubled)
        chances = {'num_distinct_actions': NUM_ACTIONS, 'max_chance_outcomes': NUM_CARDS + NUM_PLAYERS}
        return {**chances, 'min_utility': -float(MOST_BID), 'max_utility': float(most)}

    def new_initial_state(self) -> 'Catch5State':
        """Return the game before the dealer is chosen."""
        return Catch5State(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the largest number of chance nodes: the dealer, the deal, the refill, and what its last seat keeps."""
        return 1 + NUM_PLAYERS * DEALT + CARDS_PLAYED + HAND_SIZE

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Catch5Observer:
        """Return an observer; without a type, of what a seat sees now."""
        return Catch5Observer(iig_obs_type, self.rules)


class Catch5State(openspiel.State):
    """A game, from its first chance node on.

    Chance chooses the dealer, and deals to each seat in turn; its actions are card ids, or 52 and a seat. Once trumps
    are named it fills the hands up, one seat after the other. If the seat served last takes trumps that are left,
    chance chooses which of its other cards it keeps.
    """

    def __init__(self, game: Catch5Game) -> None:
        super().__init__(game, new_games(1))
        self.deal = np.zeros(1, DEAL)
        self.deal['redeal'] = self.deal['leftover'] = NOTHING
        self.dealt: list[list[int]] = [[] for _ in range(NUM_PLAYERS)]
        self.outcomes = [FIRST_DEALER + seat for seat in range(NUM_PLAYERS)]  # of the next chance node
        self.trump: int | None = None  # the action that names trumps, until the hands are full
        self.drawn: list[int] = []  # in the refill
        self.kept: list[int] | None = None  # by the seat served last, while chance chooses

    @property
    @override
    def is_chance(self) -> bool:
        return bool(self.outcomes)

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

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the actions that chance may choose next, all equally likely."""
        return [(action, 1 / len(self.outcomes)) for action in self.outcomes]

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
    def play(self, action: int) -> None:
        if FIRST_TRUMP <= action < FIRST_CARD:
            self.trump, self.outcomes = action, []
            self._refill(action)
        else:
            super().play(action)

    def _refill(self, trump: int) -> None:
        """Let chance make the next choice of the refill, or play on if there is none."""
        self._order('redeal', self.drawn[::-1], MOST_STOCK)
        trial = self._tried(trump)
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

    def _tried(self, trump: int) -> Any:
        """Return the game after trumps are named, [1] of GAME; chance is drawn where it is not known yet."""
        trial = self.games.copy()
        self._card_game.step(self._rules_arrays, trial, self.move_of([trump]))
        return trial

    def _chance_text(self, action: int) -> str:
        return f'dealer {action - FIRST_DEALER}' if action >= FIRST_DEALER else f'deal {format_card(action)}'

    def _action_to_string(self, player: int, action: int) -> str:
        return self._chance_text(action) if player < 0 else TEXTS[action]

    def __str__(self) -> str:
        if not self.has_begun:
            return '\n'.join(f'seat {i}: {format_cards(mask_of(hand))}' for i, hand in enumerate(self.dealt))
        return position_text(self.games, self.rules, trace_of(self.games))


class AgentBot(openspiel.AgentBot):
    """An agent of this package as a bot of OpenSpiel; see the class of the kit."""

    game = Catch5Game
    make_agent = staticmethod(make_agent)
