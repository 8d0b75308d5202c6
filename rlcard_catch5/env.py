"""The environment that `rlcard.make('catch5')` returns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_catch5.actions import ACTION_FEATURES, NUM_ACTIONS, checked, parse_action
from rlcard_catch5.cards import format_cards
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_catch5.engine.state import Games
from rlcard_catch5.game import Game
from rlcard_catch5.game.round import trace_of
from rlcard_catch5.notation import position_text, state_text
from rlcard_catch5.records import Record, from_deal, parse
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.envs.rlcard_env import SingleEnv, check_config
from rlcard_kit.envs.rlcard_game import check_seat
from rlcard_kit.errors import ConfigError, RecordError
from rlcard_kit.records import check_same_rules

DEFAULT_GAME_CONFIG = {'game_rules': 'paper', 'game_num_players': 4}
ILLEGAL_REWARD = -float(MOST_BID)  # the worst score of a hand


class State(dict[str, Any]):
    """What a seat sees and may do, by name as in RLCard; `print(state)` writes it for people."""

    def __str__(self) -> str:
        return state_text(self['raw_obs'])


class Catch5Env(SingleEnv):
    """Catch Five for four players, in RLCard's conventions.

    Args:
        config: 'seed' (int or None), 'allow_step_back' (bool), 'game_rules' (a preset's name or a `Rules`),
            'game_num_players' (4). ConfigError, a ValueError, names any other key.

    A state has 'obs' (int8 [948]: `engine.observation.LAYOUT` in order, the 504 published features first),
    'legal_actions' (OrderedDict of action id to one-hot features int8 [64], ascending), 'raw_legal_actions' (their
    texts, in the same order), 'raw_obs' (see `Game.get_state`) and 'action_record'. Away from the seat's turn no action
    is legal.
    """

    action_features = ACTION_FEATURES
    state_kind = State

    def __init__(self, config: dict[str, Any]) -> None:
        game_config = check_config(config, DEFAULT_GAME_CONFIG, 'Catch Five')
        self.name = 'catch5'
        self.default_game_config = DEFAULT_GAME_CONFIG
        self.game = Game(allow_step_back=config['allow_step_back'])
        self.game.configure(game_config)
        super().__init__(config)
        self.state_shape = [[OBSERVATION_SIZE] for _ in range(self.num_players)]
        self.action_shape = [[NUM_ACTIONS] for _ in range(self.num_players)]

    def reset(
        self, deal: Mapping[str, Any] | None = None, position: Record | Mapping[str, Any] | str | None = None
    ) -> tuple[State, int]:
        """Deal, or start from a position; return the state of the seat to move, and that seat.

        Args:
            deal: 'dealer', 'hands' and whatever else chance is not to decide, see
                `game.dealer.read_deal`; by default all is random.
            position: a record to start from, or its JSON as a mapping or as text. All its moves are made. What its deal
                does not tell is decided by chance.

        Raises:
            HandsError: if it is not a deal; everything is then as it was.
            RecordError: if the position is not well formed, breaks the rules, or is of other rules; likewise.
            ConfigError: if both a deal and a position are given; likewise.
        """
        if deal is not None and position is not None:
            raise ConfigError('reset: give a deal or a position, not both')
        if position is None:
            state, player = self.game.init_game(deal)
        else:
            record = position if isinstance(position, Record) else parse(position)
            check_same_rules(record.rules, self.game.rules)
            state, player = self.game.start_from(record.deal, record.moves)
        self.action_recorder = self.game.round.trace.copy()
        return self._extract_state(state), player

    def show(self, games: Games, moves: Sequence[int]) -> None:
        """Show a game that is played elsewhere, [1] of GAME; its record tells the moves."""
        self.game.attach(games)
        self.action_recorder = trace_of(games)
        self.game.round.trace = self.action_recorder.copy()

    def to_record(self) -> Record:
        """Return the record of the game so far; RecordError if nothing was dealt here."""
        if self.game.dealt is None:
            raise RecordError('there is no deal to record: call reset() before the first move')
        moves = [parse_action(text) for _, text in self.game.round.trace]
        return from_deal(self.game.dealt, moves, self.game.rules)

    def describe(self, seat: int | None = None) -> str:
        """Return the position as text, with all hands or as one seat sees it; `print(env)` shows all hands.

        ConfigError if there is no such seat.
        """
        if seat is not None:
            check_seat(seat)
        return position_text(self.game, seat)

    def __str__(self) -> str:
        return self.describe()

    def get_perfect_information(self) -> dict[str, Any]:
        """Return everything, all hands, thrown cards and the stock included, as text."""
        game = self.game
        shared = ('bids', 'trick', 'dealer', 'bidder', 'trump', 'leader', 'points', 'trick_winners', 'trace')
        state = game.get_state(0)
        return {
            'hand_cards': [player.current_hand for player in game.players],
            'played_cards': [player.played_cards for player in game.players],
            'thrown_cards': [player.thrown_cards for player in game.players],
            'stock': format_cards(int(game.games['stock'][0])),
            **{key: state[key] for key in shared},
            'current_player': game.get_player_id(),
            'legal_actions': game.legal_texts.copy(),
        }

    def _unpack(self, packed: NDArray[Any], out: NDArray[np.int8]) -> None:
        unpack_observations(packed, out)

    def _checked(self, action: object) -> int:
        return checked(action)
