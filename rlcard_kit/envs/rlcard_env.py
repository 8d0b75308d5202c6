"""RLCard's environment and models for any card game, and their registration."""

import warnings
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from rlcard.envs.env import Env
from rlcard.envs.registration import register, registry
from rlcard.utils import seeding
from typing_extensions import override

from rlcard_kit.agents import Agent, Positions, agent_of
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import checked_action
from rlcard_kit.drawing import Shown
from rlcard_kit.envs.action_set import ActionSet
from rlcard_kit.envs.rlcard_game import OVER, RLCardGame, Trace
from rlcard_kit.errors import ConfigError, GameOverError, IllegalActionError, check_whole
from rlcard_kit.plugins import when_imported
from rlcard_kit.rules import rules_note

MOST_PLAYERS = 4
SHOWN = 4  # legal actions in an error
IDS = 'ids'  # the set of all action ids
NO_ACTIONS = np.empty(0, np.int64)


class RLCardEnv(Shown, Env):  # type: ignore[misc]  # rlcard has no type information
    """One game as an environment of RLCard.

    Args:
        config: as `rlcard.make` passes it; ConfigError names an unknown key.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    game_type: ClassVar[type[RLCardGame]]
    state_type: ClassVar[type[dict[str, Any]]]
    """A dict that prints itself for people."""
    observation_size: int
    action_features: NDArray[np.int8]
    """The features of each action, int8 [actions, features]; of a game's class, those of the action ids."""
    action_sets: ClassVar[tuple[str, ...]] = ()
    """The names of other sets of actions than the ids."""
    actions: ActionSet | None = None
    """The set of actions, if they are not the ids."""
    record_type: ClassVar[type]
    parse_record: Callable[[Any], Any]
    check_action: Callable[[object], int]
    """Returns an action id as an int; IllegalActionError if there is no such id."""
    unpack: Callable[[NDArray[Any], NDArray[np.int8]], None]
    """Writes packed observations, [N], as features into int8 [N, observation_size]."""

    game: RLCardGame
    action_recorder: Trace

    def __init__(self, config: dict[str, Any]) -> None:
        self.default_game_config = {'game_rules': self.game_type.default_rules, 'game_num_players': None}
        if self.action_sets:
            self.default_game_config['game_actions'] = IDS
        game_config = _checked_config(config, self.default_game_config)
        self.game = self.game_type(config['allow_step_back'])
        self.game.configure(game_config)
        self._set_size()
        super().__init__(config)
        name = game_config.get('game_actions', IDS)
        if name not in (IDS, *self.action_sets):
            raise ConfigError(f'game_actions={name!r:.80}: expected {", ".join(map(repr, (IDS, *self.action_sets)))}')
        if name != IDS:
            self.actions = self._action_set(name)
            self.num_actions, self.action_features = self.actions.num_actions, self.actions.features
            which = f'those of {name!r}'
            self.check_action = partial(checked_action, count=self.num_actions, last=which, example=self.game.texts[0])
        self.state_shape = [[self.observation_size] for _ in range(self.num_players)]
        self.action_shape = [[self.action_features.shape[1]] for _ in range(self.num_players)]

    def _set_size(self) -> None:
        """Set the size of observations by the rules, if it depends on them."""

    def _action_set(self, name: str) -> ActionSet:
        """Return one of `action_sets`."""
        raise NotImplementedError

    def _begin(self, deal: Any, position: Any) -> tuple[Any, int]:
        """Deal, or start from a position: a record, its mapping or its JSON; see `reset` of each game."""
        if deal is not None and position is not None:
            raise ConfigError('reset: give a deal or a position, not both')
        if position is None:
            state, player = self.game.init_game(deal)
        else:
            is_record = isinstance(position, self.record_type)
            state, player = self.game.start_from(position if is_record else self.parse_record(position))
        self.action_recorder = self.game.round.trace.copy()
        return self._extract_state(state), player

    def show(self, games: NDArray[Any], moves: Sequence[int]) -> None:
        """Show a game that is played elsewhere, [1] of the game's record, with the moves that led to it."""
        self.game.attach(games)
        self.action_recorder = self.game.trace_of(moves)
        self.game.round.trace = self.action_recorder.copy()

    def to_record(self) -> Any:
        """Return the record of the game so far; RecordError if nothing was dealt yet."""
        return self.game.to_record()

    def describe(self, seat: int | None = None) -> str:
        """Return the position as text, with all hands or as one seat sees it; `print(env)` shows all hands.

        Raises:
            ConfigError: if there is no such seat.
        """
        return self.position_text(self.scene(seat))

    @abstractmethod
    def scene(self, seat: int | None = None) -> Any:
        """Return the position to show: all hands, or what one seat sees; ConfigError if there is no such seat."""

    @override
    def set_agents(self, agents: Sequence[Any]) -> None:
        """Set the agents of the seats, for `run`; warn of agents that were trained on other rules.

        Raises:
            ConfigError: if there are fewer than seats, or one is not an agent, or one of another game.
        """
        if not isinstance(agents, Sequence) or isinstance(agents, str) or len(agents) < self.num_players:
            raise ConfigError(f'set_agents({agents!r:.120}): expected a list of {self.num_players} agents, one a seat')
        for seat, agent in enumerate(agents[: self.num_players]):
            agent_of(agent, _refuse_name, self.game.rules, f'seat {seat}')
            if isinstance(agent, Agent):
                agent.prepare(self.game.rules)
            note = rules_note(f'The agent in seat {seat}', getattr(agent, 'trained_on', None), self.game.rules)
            if note:
                warnings.warn(note, stacklevel=2)
        super().set_agents(agents)

    @override
    def run(self, is_training: bool = False) -> Any:
        """Play a game by the agents; return the trajectories and the payoffs. ConfigError if no agents are set."""
        if not hasattr(self, 'agents'):
            raise ConfigError(f'run: there are no agents: call set_agents with {self.num_players} of them first')
        return super().run(is_training)

    @override
    def step(self, action: int | str, raw_action: bool = False) -> tuple[Any, int]:
        """Play an action id, or a text with `raw_action`; return the next seat's state and that seat.

        Raises:
            IllegalActionError: if the action is not legal; nothing has changed.
            GameOverError: if the game has ended, or nothing was dealt.
        """
        index = self.legal_index(action, raw_action)
        game = self.game
        # RLCard records an action before the game plays it; it is known to be legal here.
        self.timestep += 1
        self.action_recorder.append((game.player_id, game.legal_texts[index]))
        state, player = game.play(index)
        return self._extract_state(state), player

    @override
    def step_back(self) -> tuple[Any, int] | bool:
        """Undo the last move; return the state and seat before it, or False at the start of the game.

        Raises:
            ConfigError: unless the environment was made with allow_step_back=True.
        """
        if not self.allow_step_back:
            raise ConfigError("Step back is off: make the environment with config={'allow_step_back': True}")
        if not self.game.step_back():
            return False
        self.timestep -= 1
        self.action_recorder.pop()
        player = self.get_player_id()
        return self.get_state(player), player

    @override
    def seed(self, seed: int | None = None) -> int:
        """Seed all random draws of the environment; None takes a seed from the operating system."""
        if seed is not None:
            check_whole('seed', seed, 0)
        self.np_random, used = seeding.np_random(None if seed is None else int(seed))
        self.game.np_random = self.np_random
        return int(used)

    @override
    def get_payoffs(self) -> Int64Array:
        """Return the payoff of each seat, int64 [seats]; zeros until the game ends."""
        return self.game.judger.judge_payoffs()

    def legal_index(self, action: object, raw_action: bool) -> int:
        """Return the index of an action among the legal ones; see `step` for errors."""
        if raw_action:
            return self.game.index_of_text(action)
        if self.actions is None:
            return self.game.index_of(self.check_action(action))
        number, (actions, indices) = self.check_action(action), self._numbered(self._packed())
        if self.game.is_over():
            raise GameOverError(OVER)
        if number not in actions:
            texts = [self.game.legal_texts[index] for index in indices[:SHOWN]]
            named = ', '.join(f'{other} ({text})' for other, text in zip(actions, texts, strict=False))
            raise IllegalActionError(f'action {number} is not legal: {len(actions)} are, such as {named}')
        return int(indices[actions == number][0])

    @override
    def get_action_feature(self, action: int) -> NDArray[np.int8]:
        """Return the features of an action, the same at any time."""
        features: NDArray[np.int8] = self.action_features[self.check_action(action)].copy()
        return features

    def _decode_action(self, action_id: object) -> str:
        """Return the text of an action id, or of what an action of another set means now."""
        if self.actions is not None:
            return self.game.legal_texts[self.legal_index(action_id, raw_action=False)]
        return self.game.texts[self.check_action(action_id)]

    def _extract_state(self, state: dict[str, Any]) -> Any:
        """Return the state of RLCard for a raw state of the game."""
        obs = np.empty((1, self.observation_size), np.int8)
        self.unpack(state['packed'], obs)
        if self.actions is not None:
            return self._state_of_set(state, obs[0])
        return self.state_type(
            obs=obs[0],
            legal_actions=self._get_legal_actions() if state['actions'] else OrderedDict(),
            raw_obs=state,
            raw_legal_actions=state['actions'].copy(),
            action_record=self.action_recorder.copy(),
        )

    def _state_of_set(self, state: dict[str, Any], obs: NDArray[np.int8]) -> Any:
        """Return the state of RLCard with the actions of another set, in the order of their moves."""
        actions, indices = self._numbered(state['packed']) if state['actions'] else (NO_ACTIONS, NO_ACTIONS)
        return self.state_type(
            obs=obs,
            legal_actions=OrderedDict(zip(actions.tolist(), self.action_features.take(actions, axis=0), strict=True)),
            legal_ids=self.game.legal[indices],
            raw_obs=state,
            raw_legal_actions=[state['actions'][index] for index in indices.tolist()],
            action_record=self.action_recorder.copy(),
        )

    def _packed(self) -> NDArray[Any]:
        """Return the packed observation of the seat to move, [1]."""
        game = self.game
        packed = np.zeros(1, game.card_game.observation)
        game.card_game.observe(game.ruleset, game.games, np.array([game.player_id]), packed)
        return packed

    def _numbered(self, packed: NDArray[Any]) -> tuple[Int64Array, Int64Array]:
        """Return the legal actions of the set, and the index of each among the legal ids, given `_packed`."""
        moves = self.game.moves[self.game.legal]
        assert self.actions is not None
        return self.actions.of_one(Positions(packed, moves, np.array([0, len(moves)])))

    def _get_legal_actions(self) -> OrderedDict[int, NDArray[np.int8]]:
        """Return the legal actions of the seat to move: id to features, ascending."""
        game = self.game
        actions: OrderedDict[int, NDArray[np.int8]] = OrderedDict()
        for action, features in zip(game.legal_ids, self.action_features.take(game.legal, axis=0), strict=True):
            actions[action] = features  # twice as fast as from pairs
        return actions


def _refuse_name(name: str, rules: Any) -> None:
    raise ConfigError(f'{name!r:.80} is a name: give set_agents the agent that make_agent({name!r:.80}) returns')


def _checked_config(config: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of the game; ConfigError names an unknown key."""
    known = ('allow_step_back', 'seed', *defaults)
    unknown = sorted(set(config) - set(known))
    if unknown:
        raise ConfigError(f'unknown configuration {", ".join(unknown)}: the known keys are {", ".join(known)}')
    return {key: config.get(key, default) for key, default in defaults.items()}


class AgentModel:
    """A model of RLCard: one agent in all seats."""

    make: Callable[[], Any]
    """Returns the agent."""

    def __init__(self) -> None:
        self._agent = self.make()

    @property
    def agents(self) -> list[Any]:
        """The agent of each seat, of which there are at most four."""
        return [self._agent] * MOST_PLAYERS


def register_game(package: str, prefix: str, variants: Sequence[str] = ()) -> None:
    """Register a game with RLCard, and with `rlcard.models` and Gymnasium once they are imported.

    Args:
        package: of the game; has `env`, `gymnasium` and `models.MODELS`.
        prefix: of its classes, such as 'Big2' of `env.Big2Env`; in lower case the name of the environment.
        variants: with rules of their own, such as 'Mini' of `env.Big2MiniEnv`, the environment 'big2-mini'.
    """

    def register_models(rlcard_models: Any) -> None:
        for name, model in import_module(f'{package}.models').MODELS.items():
            if name not in rlcard_models.registration.model_registry.model_specs:
                rlcard_models.register(model_id=name, entry_point=f'{model.__module__}:{model.__name__}')

    def register_seats(gymnasium: Any) -> None:
        seats = f'{package}.gymnasium:{prefix}Seat'
        if f'{prefix}-v0' not in gymnasium.registry:
            gymnasium.register(f'{prefix}-v0', f'{seats}Env', vector_entry_point=f'{seats}VectorEnv')

    for variant in ('', *variants):
        name = f'{prefix}-{variant}'.rstrip('-').lower()
        if name not in registry.env_specs:
            register(env_id=name, entry_point=f'{package}.env:{prefix}{variant}Env')
    when_imported('rlcard.models', register_models)  # it imports torch, which a game need not wait for
    when_imported('gymnasium', register_seats)
