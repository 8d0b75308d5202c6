"""The environment that `rlcard.make('catch5')` returns."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from rlcard_catch5.actions import ACTION_FEATURES, checked
from rlcard_catch5.cards import format_cards
from rlcard_catch5.engine.batch import unpack_observations
from rlcard_catch5.engine.observation import OBSERVATION_SIZE
from rlcard_catch5.game import Catch5Game
from rlcard_catch5.notation import Scene, position_text, scene_of_game, scene_of_state
from rlcard_catch5.records import Record, parse
from rlcard_catch5.rules import MOST_BID
from rlcard_kit.envs.rlcard_env import RLCardEnv
from rlcard_kit.envs.rlcard_game import check_seat

ILLEGAL_REWARD = -float(MOST_BID)  # the worst score of a hand


class State(dict[str, Any]):
    """State of a seat, by name as in RLCard; `print(state)` writes it for people."""

    def __str__(self) -> str:
        return position_text(scene_of_state(self['raw_obs']))


class Catch5Env(RLCardEnv):
    """Catch Five for four players, in RLCard's conventions.

    Args:
        config: 'seed' (int or None), 'allow_step_back' (bool), 'game_rules' (a preset's name or a `Rules`),
            'game_num_players' (4). ConfigError, a ValueError, names any other key.

    A state has 'obs' (int8 [948]: `engine.observation.LAYOUT` in order, the 504 published features first),
    'legal_actions' (OrderedDict of action id to one-hot features int8 [64], ascending), 'raw_legal_actions' (their
    texts, in the same order), 'raw_obs' (see `Game.get_state`) and 'action_record'. Away from the seat's turn no action
    is legal.
    """

    name, title = 'catch5', 'Catch Five'
    game_type = Catch5Game
    state_type = State
    observation_size = OBSERVATION_SIZE
    action_features = ACTION_FEATURES
    record_type, parse_record = Record, staticmethod(parse)
    position_text, picture = staticmethod(position_text), 'rlcard_catch5.render.svg:draw'
    check_action, unpack = staticmethod(checked), staticmethod(unpack_observations)
    game: Catch5Game

    @override
    def reset(
        self, deal: Mapping[str, Any] | None = None, position: Record | Mapping[str, Any] | str | None = None
    ) -> tuple[State, int]:
        """Deal, or start from a position; return the state of the seat to move, and that seat.

        Args:
            deal: 'dealer', 'hands', and any other part that chance is not to decide, see
                `rlcard_catch5.deals.read_deal`; by default all is random.
            position: a record to start from, or its JSON as a mapping or as text. All its moves are made. Chance
                decides the parts that its deal lacks.

        Raises:
            HandsError: if it is not a deal; everything is then as it was.
            RecordError: if the position is not well formed, breaks the rules, or is of other rules; likewise.
            ConfigError: if both a deal and a position are given; likewise.
        """
        return self._begin(deal, position)

    @override
    def scene(self, seat: int | None = None) -> Scene:
        if seat is not None:
            check_seat(seat, self.num_players)
        return scene_of_game(self.game.games, self.game.rules, self.game.round.trace, seat)

    @override
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
