"""The environment that `rlcard.make('big2')` returns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.actions import ACTION_FEATURES, PASS, checked
from rlcard_big2.cards import NUM_CARDS, format_cards
from rlcard_big2.engine.batch import unpack_observations
from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.engine.state import HAND_SIZE, Games
from rlcard_big2.game import Game
from rlcard_big2.notation import Scene, position_text, scene_of_game, state_text
from rlcard_big2.records import Record, parse
from rlcard_big2.render.svg import draw
from rlcard_kit.envs.rlcard_env import SingleEnv, check_config
from rlcard_kit.envs.rlcard_game import check_seat
from rlcard_kit.errors import ConfigError

DEFAULT_GAME_CONFIG = {'game_rules': 'charlesworth', 'game_num_players': 4}
ILLEGAL_REWARD = -float(HAND_SIZE)  # what a full hand costs before rules double it: the usual -1 beats most defeats


class State(dict[str, Any]):
    """What a seat sees and may do, by name as in RLCard; `print(state)` writes it for people."""

    def __str__(self) -> str:
        return state_text(self)


class Big2Env(SingleEnv):
    """Big 2 for four players, in RLCard's conventions.

    Args:
        config: 'seed' (int or None), 'allow_step_back' (bool), 'game_rules' (a preset's name or a `Rules`),
            'game_num_players' (4). ConfigError, a ValueError, names any other key.

    A state has 'obs' (int8 [1339]: `engine.observation.LAYOUT` in order), 'legal_actions' (OrderedDict of
    action id to card features int8 [52], ascending), 'raw_legal_actions' (their texts, in the same order),
    'raw_obs' (see `Game.get_state`) and 'action_record'. Away from the seat's turn no action is legal.
    """

    action_features = ACTION_FEATURES
    state_kind = State

    def __init__(self, config: dict[str, Any]) -> None:
        game_config = check_config(config, DEFAULT_GAME_CONFIG, 'Big 2')
        self.name = 'big2'
        self.default_game_config = DEFAULT_GAME_CONFIG
        self.game = Game(allow_step_back=config['allow_step_back'])
        self.game.configure(game_config)
        super().__init__(config)
        self.state_shape = [[OBSERVATION_SIZE] for _ in range(self.num_players)]
        self.action_shape = [[NUM_CARDS] for _ in range(self.num_players)]

    def reset(
        self, hands: Sequence[Iterable[int]] | None = None, position: Record | Mapping[str, Any] | str | None = None
    ) -> tuple[State, int]:
        """Deal, or start from a position; return the state of the seat to move, and that seat.

        Args:
            hands: a deal, four iterables of thirteen card ids; by default the cards are dealt at random.
            position: a record or position to start from, or its JSON as a mapping or as text. All its moves are
                made. Hands that it does not tell are dealt at random, by the environment's own generator: any deal
                that agrees with the cards and moves that it does tell is equally likely.

        Raises:
            HandsError: if the hands are not a deal.
            RecordError: if the position is not well formed, breaks the rules, or is of rules other than these.
            ConfigError: if both hands and a position are given.
        """
        if hands is not None and position is not None:
            raise ConfigError('reset: give hands or a position, not both')
        if position is None:
            state, player = self.game.init_game(hands)
        else:
            state, player = self.game.start_from(position if isinstance(position, Record) else parse(position))
        self.action_recorder = self.game.round.trace.copy()
        return self._extract_state(state), player

    def show(self, games: Games, moves: Sequence[int]) -> None:
        """Show a game that is played elsewhere, [1] of GAME, with the masks of the moves that led to it."""
        self.game.attach(games)
        opener = (self.get_player_id() - len(moves)) % self.num_players
        texts = [format_cards(mask, self.game.rules.suits) or PASS for mask in moves]
        self.action_recorder = [((opener + ply) % self.num_players, text) for ply, text in enumerate(texts)]
        self.game.round.trace = self.action_recorder.copy()

    def to_record(self) -> Record:
        """Return the record of the game so far; RecordError if nothing was dealt yet."""
        return self.game.to_record()

    def scene(self, seat: int | None = None, names: Sequence[str] | None = None) -> Scene:
        """Return what there is to show: all hands, or what one seat sees.

        Args:
            seat: whose hand alone is shown.
            names: of the four seats.

        Raises:
            ConfigError: if there is no such seat.
        """
        if seat is not None:
            check_seat(seat)
        shown = [seat is None or seat == other for other in range(self.num_players)]
        scene = scene_of_game(self.game.games, self.game.rules, self.game.round.trace, shown, names)
        return scene._replace(payoffs=self.get_payoffs().tolist()) if scene.mover is None else scene

    def describe(self, seat: int | None = None) -> str:
        """Return the position as text, with all hands or as one seat sees it; `print(env)` shows all hands."""
        return position_text(self.scene(seat))

    def __str__(self) -> str:
        return self.describe()

    def _repr_svg_(self) -> str:
        return draw(self.scene())

    def get_perfect_information(self) -> dict[str, Any]:
        """Return everything, all hands included, as text."""
        game = self.game
        return {
            'hand_cards': [player.current_hand for player in game.players],
            'played_cards': [player.played_cards for player in game.players],
            'hand_to_beat': game.round.hand_to_beat,
            'trace': game.round.trace.copy(),
            'current_player': game.get_player_id(),
            'legal_actions': game.legal_texts.copy(),
        }

    def _unpack(self, packed: NDArray[Any], out: NDArray[np.int8]) -> None:
        unpack_observations(packed, out)

    def _checked(self, action: object) -> int:
        return checked(action)
