"""One game in RLCard's shape."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rlcard_big2.actions import NUM_ACTIONS, action_texts, parse_action
from rlcard_big2.engine.actions import ACTION_MASKS
from rlcard_big2.engine.batch import observe_games
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.engine.state import NUM_PLAYERS, GameRecord, Games, new_games, start
from rlcard_big2.engine.texts import MOST_LETTERS, card_names, write_seen
from rlcard_big2.game.dealer import Big2Dealer, check_hands
from rlcard_big2.game.judger import Big2Judger
from rlcard_big2.game.player import Big2Player
from rlcard_big2.game.round import Big2Round
from rlcard_big2.records import Before, Record, moves_of
from rlcard_big2.rules import Rules, find_rules
from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs.rlcard_game import SingleGame
from rlcard_kit.records import check_same_rules

SEATS = np.arange(NUM_PLAYERS).reshape(NUM_PLAYERS, 1)


class Big2Game(SingleGame):
    """Runs one game of Big 2; actions are texts such as '3d', 'Tc Th' or 'pass'.

    Args:
        allow_step_back: keep every state, for `step_back`.
        rules: the rules to play by.
    """

    def __init__(self, allow_step_back: bool = False, rules: Rules | None = None) -> None:
        super().__init__(allow_step_back)
        self.configure({'game_rules': rules or Rules()})

    round: Big2Round

    def configure(self, game_config: dict[str, Any]) -> None:
        """Set the rules from 'game_rules', as `find_rules` reads them; RulesError says what is wrong."""
        self.rules = find_rules(game_config['game_rules'], 'game_rules')
        self.ruleset = tabulate(self.rules)
        self._texts = action_texts(self.rules.suits)
        self._names = card_names(self.rules.suits)
        self._letters = np.empty(MOST_LETTERS, np.int8)
        self.attach(new_games(1))

    def attach(self, games: Games) -> None:
        """Seat players, round and judger at a game, [1] of GAME, with an empty trace."""
        self.games = games
        self.before: Before | None = None  # what is known of the moves before the trace, if there were any
        self.players = [Big2Player(seat, games, self.rules.suits) for seat in range(NUM_PLAYERS)]
        self.round = Big2Round(games, self.ruleset, self.rules.suits, self.allow_step_back)
        self.judger = Big2Judger(games, self.ruleset)
        self._look()

    def _look(self) -> None:
        """Note who is to move, and how."""
        self.player_id = self.round.current_player
        self.legal = self.judger.judge_legal_actions()
        self.legal_ids = self.legal.tolist()
        self.legal_texts = list(map(self._texts.__getitem__, self.legal_ids))

    @property
    def record(self) -> GameRecord:
        """The engine's record of the game."""
        record: GameRecord = self.games[0]
        return record

    @property
    def winner_id(self) -> int | None:
        """The seat that has won, or None."""
        return self.judger.judge_winner()

    def init_game(self, hands: Sequence[Iterable[int]] | None = None) -> tuple[dict[str, Any], int]:
        """Deal and start.

        Args:
            hands: four times thirteen card ids, or None for a random deal. HandsError says what is wrong
                with them and leaves the game as it was.

        Returns the raw state of the seat that opens, and that seat.
        """
        games = new_games(1)
        start(games[0], self._deal() if hands is None else check_hands(hands))
        self.attach(games)
        return self._state_of(self.player_id), self.player_id

    def start_from(self, record: Record) -> tuple[dict[str, Any], int]:
        """Start from a record, make all its moves, and return the raw state of the seat to move, and that seat.

        Unknown hands are dealt at random. RecordError if the record is of other rules; the game is then unchanged.
        """
        check_same_rules(record.rules, self.rules)
        self.attach(record.start(self.np_random))
        self.before = record.before
        for move, (_, text) in zip(record.moves, record.trace, strict=True):
            self.round.proceed_round(np.array([move]), text)
        self._look()
        return self._state_of(self.player_id), self.player_id

    def to_record(self) -> Record:
        """Return the record of the game so far; RecordError if nothing was dealt yet."""
        moves = moves_of(self.round.trace, self.rules)
        hands: list[int] = self.games['hands'][0].tolist()
        for (seat, _), move in zip(self.round.trace, moves, strict=True):
            hands[seat] |= move
        return Record(hands=tuple(hands), moves=moves, rules=self.rules, before=self.before)

    def _deal(self) -> Int64Array:
        dealer = Big2Dealer(self.np_random)
        dealer.shuffle()
        return dealer.deal_cards()

    def _explain(self, text: str) -> str:
        player = self.players[self.player_id]
        beat = self.round.hand_to_beat
        table = f'the combination to beat is {beat}' if beat else 'any combination may be led'
        if not self.round.trace:
            table = f'the opening rule is {self.rules.opening!r}'
        return (
            f'{text} is not legal for player {player.player_id}, who holds {player.current_hand}; {table}; '
            f'{self.examples()}'
        )

    def get_state(self, player_id: int) -> dict[str, Any]:
        """Return what a seat sees, at any ply.

        Keys: 'self', 'current_player', 'current_hand' and 'others_hand' (text), 'num_cards_left' and
        'played_cards' (by seat), 'hand_to_beat' ('' with control), 'trace' ((player, action) from the
        first move), 'actions' (texts of the legal actions; none where another seat is to move), and
        'packed' (the packed observation, [1] of OBSERVATION), and 'rules' (the `Rules` in force).

        Raises:
            ConfigError: if there is no such seat.
        """
        return super().get_state(player_id)

    def _state_of(self, player_id: int) -> dict[str, Any]:
        packed = new_observations(1)
        observe_games(self.ruleset, self.games, SEATS[player_id], packed)
        own, others, *played, table = self._seen_by(player_id)
        return {
            'self': player_id,
            'current_player': self.player_id,
            'current_hand': own,
            'others_hand': others,
            'num_cards_left': [hand.bit_count() for hand in self.games['hands'].tolist()[0]],
            'played_cards': played,
            'hand_to_beat': table,
            'trace': self.round.trace.copy(),
            'actions': self.legal_texts.copy() if player_id == self.player_id else [],
            'packed': packed,
            'rules': self.rules,
        }

    def _seen_by(self, player_id: int) -> list[str]:
        """Return the texts of the cards that a seat sees, in the order of `engine.texts`."""
        end = write_seen(self.games, player_id, self._names, self._letters)
        return self._letters[: end - 1].tobytes().decode('ascii').split(',')

    @staticmethod
    def get_num_actions() -> int:
        """Return the number of action ids."""
        return NUM_ACTIONS

    def _move_of(self, action: int) -> Int64Array:
        return ACTION_MASKS[action : action + 1]

    def text_of(self, action: int) -> str:
        """Return the text of an action id."""
        return self._texts[action]

    def _parse(self, action: object) -> int:
        return parse_action(action, self.rules.suits)
