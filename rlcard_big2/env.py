"""The environment that `rlcard.make('big2')` returns."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from rlcard_big2.action_sets import ACTION_SETS, action_set
from rlcard_big2.actions import ACTION_FEATURES, checked
from rlcard_big2.engine.big2 import features_of
from rlcard_big2.engine.state import HAND_SIZE
from rlcard_big2.game import Big2Game, Big2MiniGame
from rlcard_big2.notation import Scene, position_text, scene_of_game, scene_of_state
from rlcard_big2.records import Record, parse
from rlcard_kit.envs.action_set import ActionSet
from rlcard_kit.envs.rlcard_env import RLCardEnv
from rlcard_kit.envs.rlcard_game import check_seat

ILLEGAL_REWARD = -float(HAND_SIZE)  # the cost of a full hand before rules double it: the usual -1 beats most defeats


class State(dict[str, Any]):
    """State of a seat, by name as in RLCard; `print(state)` writes it for people."""

    def __str__(self) -> str:
        return position_text(scene_of_state(self))


class Big2Env(RLCardEnv):
    """Big 2 in RLCard's conventions.

    Args:
        config: 'seed' (int or None), 'allow_step_back' (bool), 'game_rules' (a preset's name or a `Rules`),
            'game_num_players' (2, 3 or 4; by default as in the rules), 'game_actions' ('ids', 'slots', 'reduced' or
            'compact'). ConfigError, a ValueError, names any other key.

    A state has 'obs' (int8 [1339] for four players of thirteen cards: `engine.observation.LAYOUT` in order, else that
    of `layout_of`), 'legal_actions' (OrderedDict of
    action id to card features int8 [52], ascending), 'raw_legal_actions' (their texts, in the same order),
    'raw_obs' (see `Game.get_state`) and 'action_record'. Away from the seat's turn no action is legal. Under
    'game_actions', the actions of another set are the keys of 'legal_actions', in the order of their moves; their
    features are one-hot, or the cards if the set is 'compact', and 'legal_ids' (int64) has the ids of their moves.
    """

    name, title = 'big2', 'Big 2'
    game_type = Big2Game
    state_type = State
    action_features, action_sets = ACTION_FEATURES, tuple(ACTION_SETS)
    record_type, parse_record = Record, staticmethod(parse)
    check_action = staticmethod(checked)
    position_text, picture = staticmethod(position_text), 'rlcard_big2.render.svg:draw'
    game: Big2Game

    @override
    def _set_size(self) -> None:
        self.observation_size, self.unpack = features_of(self.game.rules)

    @override
    def _action_set(self, name: str) -> ActionSet:
        return action_set(self.game.rules, name)

    @override
    def reset(
        self, hands: Sequence[Iterable[int]] | None = None, position: Record | Mapping[str, Any] | str | None = None
    ) -> tuple[State, int]:
        """Deal, or start from a position; return the state of the seat to move, and that seat.

        Args:
            hands: a deal, an iterable of card ids for each seat; by default the cards are dealt at random.
            position: a record or position to start from, or its JSON as a mapping or as text. All its moves are
                made. Unknown hands are dealt at random by the environment's own generator: any deal that agrees with
                the known cards and moves is equally likely.

        Raises:
            HandsError: if the hands are not a deal.
            RecordError: if the position is not well formed, breaks the rules, or is of rules other than these.
            ConfigError: if both hands and a position are given.
        """
        return self._begin(hands, position)

    @override
    def scene(self, seat: int | None = None, names: Sequence[str] | None = None) -> Scene:
        """Return the position to show: all hands, or what one seat sees.

        Args:
            seat: whose hand alone is shown.
            names: of the seats.

        Raises:
            ConfigError: if there is no such seat.
        """
        if seat is not None:
            check_seat(seat, self.num_players)
        shown = [seat is None or seat == other for other in range(self.num_players)]
        scene = scene_of_game(self.game.games, self.game.rules, self.game.round.trace, shown, names)
        return scene._replace(payoffs=self.get_payoffs().tolist()) if scene.mover is None else scene

    @override
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


class Big2MiniEnv(Big2Env):
    """A game small enough to be solved, see `Big2MiniGame`; its rules may be changed likewise."""

    name = 'big2-mini'
    game_type = Big2MiniGame
