"""RLCard's Dealer, Game, Judger, Player and Round of Catch Five: views of one game of the engine."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from rlcard_catch5.actions import NUM_ACTIONS, TEXTS, parse_action
from rlcard_catch5.cards import NAMES, SUITS, format_cards
from rlcard_catch5.deals import read_deal
from rlcard_catch5.engine.batch import shuffle_deals
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.observation import new_observations
from rlcard_catch5.engine.state import DEAL, NOTHING, Deals, new_games
from rlcard_catch5.engine.views import VIEW_SIZE, describe
from rlcard_catch5.notation import trace_of
from rlcard_catch5.records import Record, from_deal
from rlcard_catch5.rules import Rules, find_rules
from rlcard_kit.envs.rlcard_game import Judger, Player, RLCardGame, Round, Trace
from rlcard_kit.errors import RecordError
from rlcard_kit.records import check_same_rules

__all__ = ['Dealer', 'Game', 'Judger', 'Player', 'Round']

TRUMPS = SUITS.upper()


class Catch5Dealer:
    """Chooses the dealer's seat, shuffles, and deals nine cards to each seat."""

    def __init__(self, np_random: np.random.RandomState) -> None:
        self.np_random = np_random

    def deal_cards(self) -> Deals:
        """Shuffle and deal; return [1] of DEAL: a random dealer, nine cards to each seat, a word for the refill."""
        deal = np.zeros(1, DEAL)
        shuffle_deals(np.array([self.np_random.tomaxint()], np.uint64), deal)
        return deal

    def deal_given(self, given: Mapping[str, Any]) -> Deals:
        """Return a given deal, [1] of DEAL, with a random word for the refill if it has none.

        Args:
            given: see `read_deal`.

        Raises:
            HandsError: if it is not a deal; nothing is drawn then.
        """
        deal = read_deal(given)
        if not deal['word'][0]:
            deal['word'] = self.deal_cards()['word']
        return deal


class Catch5Player(Player):
    """A view of one seat; cards are text, ascending."""

    @property
    def thrown_cards(self) -> str:
        """The cards discarded at the refill."""
        return self._format_cards(self._mask('thrown'))


class Catch5Game(RLCardGame):
    """Runs one game of Catch Five; actions are texts such as 'bid 4', 'pass', 'trump H' or '5h'.

    Args:
        allow_step_back: keep every state, for `step_back`.
        rules: `Rules`, or text that names them.
    """

    card_game = CATCH5
    moves = np.arange(NUM_ACTIONS)
    new_games = staticmethod(new_games)
    default_rules = 'paper'
    dealer_type, player_type = Catch5Dealer, Catch5Player
    texts = TEXTS
    players: Sequence[Catch5Player]

    @override
    def start_from(self, record: Record) -> tuple[dict[str, Any], int]:
        check_same_rules(record.rules, self.rules)
        self.init_game(record.deal)
        for move in record.moves:
            self.play(self.index_of(move))
        return self._state_of(self.player_id), self.player_id

    @override
    def to_record(self) -> Record:
        if self.dealt is None:
            raise RecordError('there is no deal to record: call reset() before the first move')
        moves = [parse_action(text) for _, text in self.round.trace]
        return from_deal(self.dealt, moves, self.rules)

    @override
    def trace_of(self, moves: Sequence[int]) -> Trace:
        return trace_of(self.games)

    def _find_rules(self, rules: Any) -> Rules:
        self.format_cards = format_cards
        self._scratch = np.empty(VIEW_SIZE, np.int64)
        return find_rules(rules, 'game_rules')

    def _parse(self, action: object) -> int:
        return parse_action(action)

    def _explain(self, text: str) -> str:
        game = self.games[0]
        holds = f'player {self.player_id}, who holds {self.players[self.player_id].current_hand}'
        if game['trump'] == NOTHING:
            turn = 'names trumps' if (game['bids'] != NOTHING).all() else 'bids'
        elif game['leader'] == self.player_id:
            turn = 'leads'
        else:
            led = NAMES[game['trick'][game['leader']]]
            turn = f'plays to {led}, with {TRUMPS[game["trump"]]} as trumps'
        return f'{text} is not legal for {holds} and {turn}; {self.examples()}'

    @override
    def get_state(self, player_id: int) -> dict[str, Any]:
        """Return the raw state of a seat, at any ply.

        Keys: 'self', 'current_player', 'current_hand' and 'thrown_cards' (text, its own), 'num_cards_left',
        'played_cards', 'bids' and 'trick' (by seat; None before a bid, 0 for a pass, '' before a card), 'dealer',
        'bidder', 'trump' and 'leader' (None before), 'points' (by team), 'trick_winners', 'num_cards_lacked' (by seat,
        at the refill), 'dead_cards', 'trace' ((player, action) from the first move), 'actions' (texts of the legal
        actions; none away from the seat's turn), 'packed' (the packed observation, [1] of OBSERVATION), and 'rules'
        (the `Rules`).

        Raises:
            ConfigError: if there is no such seat.
        """
        return super().get_state(player_id)

    def _state_of(self, player_id: int) -> dict[str, Any]:
        packed = new_observations(1)
        return {
            'self': player_id,
            'current_player': self.player_id,
            **describe(self.games, player_id, packed, self._scratch),
            'trace': self.round.trace.copy(),
            'actions': self.legal_texts.copy() if player_id == self.player_id else [],
            'packed': packed,
            'rules': self.rules,
        }


Dealer, Game = Catch5Dealer, Catch5Game
