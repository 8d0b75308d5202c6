"""One game in RLCard's shape."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rlcard_catch5.actions import NUM_ACTIONS, TEXTS, parse_action
from rlcard_catch5.cards import NAMES, SUITS
from rlcard_catch5.engine.batch import start_games
from rlcard_catch5.engine.observation import new_observations
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import NOTHING, NUM_PLAYERS, Deals, Games, new_games
from rlcard_catch5.engine.views import VIEW_SIZE, describe
from rlcard_catch5.game.dealer import Catch5Dealer
from rlcard_catch5.game.judger import Catch5Judger
from rlcard_catch5.game.player import Catch5Player
from rlcard_catch5.game.round import Catch5Round
from rlcard_catch5.rules import Rules, find_rules
from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs.rlcard_game import SingleGame

MOVES = np.arange(NUM_ACTIONS)
TRUMPS = SUITS.upper()


class Catch5Game(SingleGame):
    """Runs one game of Catch Five; actions are texts such as 'bid 4', 'pass', 'trump H' or '5h'.

    Args:
        allow_step_back: keep every state, for `step_back`.
        rules: the rules to play by.
    """

    round: Catch5Round

    def __init__(self, allow_step_back: bool = False, rules: Rules | None = None) -> None:
        super().__init__(allow_step_back)
        self.configure({'game_rules': rules or Rules()})

    def configure(self, game_config: dict[str, Any]) -> None:
        """Set the rules from 'game_rules', a preset's name or a `Rules`; ConfigError if it is neither."""
        self.rules = find_rules(game_config['game_rules'], 'game_rules')
        self.ruleset = tabulate(self.rules)
        self._scratch = np.empty(VIEW_SIZE, np.int64)
        self.attach(new_games(1))

    def attach(self, games: Games) -> None:
        """Seat players, round and judger at a game, [1] of GAME, with an empty trace."""
        self.games = games
        self.dealt: Deals | None = None  # what the game began with; unknown if it is played elsewhere
        self.players = [Catch5Player(seat, games) for seat in range(NUM_PLAYERS)]
        self.round = Catch5Round(games, self.ruleset, self.allow_step_back)
        self.judger = Catch5Judger(games, self.ruleset)
        self._look()

    def init_game(self, deal: Mapping[str, Any] | None = None) -> tuple[dict[str, Any], int]:
        """Deal and start.

        Args:
            deal: see `Catch5Dealer.deal_given`; None for a random one. HandsError says what is wrong with it and leaves
                the game as it was.

        Returns:
            The raw state of the seat after the dealer, and that seat.
        """
        dealer, games = Catch5Dealer(self.np_random), new_games(1)
        dealt = dealer.deal_cards() if deal is None else dealer.deal_given(deal)
        start_games(games, dealt)
        self.attach(games)
        self.dealt = dealt
        return self._state_of(self.player_id), self.player_id

    def start_from(self, deal: Mapping[str, Any], moves: Sequence[int]) -> tuple[dict[str, Any], int]:
        """Deal as told and make moves, legal action ids; return the raw state of the seat to move, and that seat."""
        self.init_game(deal)
        for move in moves:
            self.play(self.index_of(move))
        return self._state_of(self.player_id), self.player_id

    @staticmethod
    def get_num_actions() -> int:
        """Return the number of action ids, 64."""
        return NUM_ACTIONS

    def _look(self) -> None:
        self.player_id = self.round.current_player
        self.legal = self.judger.judge_legal_actions()
        self.legal_ids = self.legal.tolist()
        self.legal_texts = list(map(TEXTS.__getitem__, self.legal_ids))

    def _move_of(self, action: int) -> Int64Array:
        return MOVES[action : action + 1]

    def text_of(self, action: int) -> str:
        """Return the text of an action id."""
        return TEXTS[action]

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

    def _state_of(self, player_id: int) -> dict[str, Any]:
        """Return what a seat sees, at any ply.

        Keys: 'self', 'current_player', 'current_hand' and 'thrown_cards' (text, its own), 'num_cards_left',
        'played_cards', 'bids' and 'trick' (by seat; None before a bid, 0 for a pass, '' before a card), 'dealer',
        'bidder', 'trump' and 'leader' (None before), 'points' (by team), 'trick_winners', 'num_cards_lacked' (by seat,
        at the refill), 'dead_cards', 'trace' ((player, action) from the first move), 'actions' (texts of the legal
        actions; none where another seat is to move), 'packed' (the packed observation, [1] of OBSERVATION), and 'rules'
        (the `Rules`).
        """
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
