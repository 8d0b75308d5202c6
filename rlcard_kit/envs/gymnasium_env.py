"""Gymnasium environments of one seat of any card game: a single game, and N games stepped together."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from rlcard_kit.agents import Positions
from rlcard_kit.arrays import BoolArray, Float64Array, Int8Array, Int64Array
from rlcard_kit.envs.action_set import ActionSet
from rlcard_kit.envs.callers import CHECKS, calling_modules, spoiling_wrapper, warn_once
from rlcard_kit.envs.rlcard_env import RLCardEnv
from rlcard_kit.envs.single_agent import END, MakeAgent, SeatSettings, SingleAgentEnv
from rlcard_kit.errors import ConfigError, GameOverError, IllegalActionError, check_whole, installing
from rlcard_kit.game import CardGame

try:
    import gymnasium
    from gymnasium import spaces as spaces  # the games take it from here: their import names the extra too
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:  # an old one has no AutoresetMode
    raise ImportError(f'this environment needs Gymnasium: {installing("gymnasium")}') from error

SHOWN = 4  # legal actions in an error
OVER = 'the game is over, or not dealt yet: call reset() before the next step'
NO_MASKS = (
    f"illegal={END!r} has ended a game at an action that info['action_mask'] does not allow. An evaluation that knows "
    'no masks, such as evaluate_policy of stable_baselines3, measures such ends: take that of '
    'sb3_contrib.common.maskable.evaluation, or play_match'
)
Info = dict[str, Any]


class View(ABC):
    """The observation space of the seat that learns, and its actions."""

    observation_space: spaces.Space[Any]
    actions: ActionSet

    @abstractmethod
    def observe(self, positions: Positions) -> Any:
        """Return the observations of N games, in new arrays of the batched observation space."""

    def single(self, positions: Positions) -> Any:
        """Return the observation of the first game."""
        seen = self.observe(positions)
        return {name: part[0] for name, part in seen.items()} if isinstance(seen, dict) else seen[0]


class FeaturesView(View):
    """Observations are the features of RLCard's environment, int8 [N, features].

    Args:
        size: the number of features.
        unpack: writes packed observations, [N], as features.
        actions: to choose from.
    """

    def __init__(self, size: int, unpack: Callable[[Any, Int8Array], None], actions: ActionSet) -> None:
        self.actions = actions
        self._size, self._unpack = size, unpack
        self.observation_space = spaces.Box(0, 1, (size,), np.int8)

    @override
    def observe(self, positions: Positions) -> Any:
        out = np.empty((len(positions.observations), self._size), np.int8)
        self._unpack(positions.observations, out)
        return out


@dataclass(frozen=True)
class Task:
    """A game as its Gymnasium environments need it."""

    card_game: CardGame
    make_agent: MakeAgent
    make_view: Callable[..., View]
    """Of rules, and of the settings of a view."""
    rlcard_type: type[RLCardEnv]
    illegal_reward: float
    """For the player who ends a game by an illegal action."""


class SeatGames:
    """N games of one seat, seen through a view.

    Args:
        task: the game and its view.
        num_games: N.
        settings: those of `SeatSettings` and of the game's view, by name.
    """

    def __init__(self, task: Task, num_games: int, settings: Mapping[str, Any]) -> None:
        names = {field.name for field in fields(SeatSettings)} & settings.keys()
        seat = SeatSettings(**{name: settings[name] for name in names})
        if seat.rules is None:
            seat = replace(seat, rules=task.rlcard_type.game_type.default_rules)
        self.sim = SingleAgentEnv(task.card_game, task.make_agent, num_games, seat)
        self.view = task.make_view(self.sim.rules, **{name: settings[name] for name in settings.keys() - names})
        self.actions = self.view.actions
        self._ends = seat.illegal == END
        self._forfeit, self._has_warned = task.illegal_reward, False
        self.look()

    def look(self) -> None:
        """Update the positions and masks."""
        self.positions = self.sim.look()
        self.masks = self.actions.masks(self.positions) & ~self.sim.over[:, None]

    def deal(self, where: Int64Array) -> None:
        """Deal some games again."""
        self.sim.deal(where)
        self.look()

    def step(self, given: Int64Array) -> None:
        """Make an action, int64 [N], in each game; IllegalActionError or GameOverError if one cannot be made.

        `look` has to follow.
        """
        if self.sim.over.any():
            raise GameOverError(OVER)
        exists = (given >= 0) & (given < self.actions.num_actions)
        actions = np.where(exists, given, 0)
        legal = exists & self.masks[np.arange(len(actions)), actions]
        refused = np.flatnonzero(~legal)
        if refused.size and not self._ends:
            raise IllegalActionError(self._explain(int(refused[0]), int(given[refused[0]])))
        if refused.size and not (self._has_warned or CHECKS & calling_modules()):
            self._has_warned = True
            warn_once(spoiling_wrapper() or NO_MASKS)
        self.sim.abandoned[refused] = True
        where = np.flatnonzero(legal)
        self.sim.play(where, self._moves(where, actions[where]))

    def _moves(self, where: Int64Array, actions: Int64Array) -> Int64Array:
        positions = self.positions if where.size == len(self.masks) else self.positions.select(where)
        moves: Int64Array = positions.moves[self.actions.indices(positions, actions)]
        return moves

    def rewards(self) -> Float64Array:
        """Return the learner's payoffs, float64 [N]; zeros until a game is over."""
        payoffs = self.sim.payoffs[np.arange(self.sim.num_games), self.sim.seats]
        return np.where(self.sim.abandoned, self._forfeit, payoffs.astype(np.float64))

    def _explain(self, game: int, action: int) -> str:
        where = '' if self.sim.num_games == 1 else f'in game {game} '
        what = 'is not legal'
        if not 0 <= action < self.actions.num_actions:
            what = f'does not exist, they run from 0 to {self.actions.num_actions - 1}'
        legal = np.flatnonzero(self.masks[game])
        moves = [self._moves(np.array([game]), np.array([other]))[0] for other in legal[:SHOWN]]
        texts = [self.sim.game.text(int(move), self.sim.rules) for move in moves]
        named = ', '.join(f'{other} ({text})' for other, text in zip(legal, texts, strict=False))
        more, wrapper = ', ...' if len(legal) > SHOWN else '', spoiling_wrapper()
        return (
            f'{where}action {action} {what}: {len(legal)} {"is" if len(legal) == 1 else "are"} legal, {named}{more}. '
            f"action_masks() and info['action_mask'] hold them all; illegal={END!r} would end the game instead"
            f'{wrapper and f". {wrapper}"}'
        )


def actions_of(given: Any, count: int) -> Int64Array:
    """Return a caller's actions, int64 [count]; IllegalActionError unless they are whole numbers."""
    actions = np.asarray(given)
    if actions.dtype.kind not in 'iu' or actions.size != count:
        expected = 'a whole number' if count == 1 else f'{count} whole numbers'
        raise IllegalActionError(f'{given!r:.80} is not an action: expected {expected}')
    return actions.reshape(count).astype(np.int64)


def check_options(options: dict[str, Any] | None) -> None:
    """Raise ConfigError for options of a reset: there are none."""
    if options:
        raise ConfigError(f'reset: unknown options {", ".join(map(repr, options))}: there are none')


class SeatEnv(gymnasium.Env[Any, Any]):
    """One seat of a game, which learns; opponents play the others.

    Rewards are 0, and at the end the payoff. All draws follow from the seed of `reset`.

    Args:
        render_mode: one of `metadata['render_modes']` or None; ConfigError names them.
        settings: those of `SeatSettings` and of the game's view, by name.
    """

    task: ClassVar[Task]

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        modes = self.metadata['render_modes']
        if render_mode not in (None, *modes):
            raise ConfigError(f'render_mode={render_mode!r}: the modes are None, {", ".join(map(repr, modes))}')
        self.render_mode = render_mode
        self._games = SeatGames(self.task, 1, settings)
        self.sim = self._games.sim
        self.observation_space = self._games.view.observation_space
        self.action_space = spaces.Discrete(self._games.actions.num_actions)
        self._shown = self.task.rlcard_type({'seed': 0, 'allow_step_back': False, 'game_rules': self.sim.rules})

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Deal a new game, and play until the seat is to move.

        A game that ends before is dealt again: `info['skipped']` counts such games, of which no reward tells.

        Args:
            seed: of this and all later deals, seats and draws of opponents; None continues the current streams.
            options: none are known.
        """
        check_options(options)
        super().reset(seed=seed)
        if seed is not None:
            self.sim.seed([seed])
        self._games.deal(np.zeros(1, np.int64))
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Make an action, and play until the seat is to move again or the game is over."""
        self._games.step(actions_of(action, 1))
        self._games.look()
        observation, info = self._seen()
        return observation, float(self._games.rewards()[0]), bool(self.sim.over[0]), False, info

    def action_masks(self) -> BoolArray:
        """Return whether each action is legal, bool [actions]; none is once the game is over."""
        return self._games.masks[0].copy()

    def _seen(self) -> tuple[Any, Info]:
        info = {'action_mask': self._games.masks[0].astype(np.int8)}
        info |= {'seat': int(self.sim.seats[0]), 'skipped': int(self.sim.skipped[0])}
        return self._games.view.single(self._games.positions), info

    def names(self) -> list[str]:
        """Return the name of each seat's player."""
        return ['learner' if i < 0 else self.sim.opponents[i].name for i in self.sim.table.seating[0].tolist()]

    def shown(self) -> RLCardEnv:
        """Return an environment of RLCard that shows the game."""
        self._shown.show(self.sim.games, self.sim.table.moves_of(0))
        return self._shown

    @override
    def render(self) -> Any:
        """Return all hands, the table and the last moves as text if the mode is 'ansi'; None without a mode."""
        return self.shown().describe() if self.render_mode == 'ansi' else None


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """One seat in each of N games, stepped together; see `SeatEnv`.

    A game that ends is dealt again in the same step: `infos['final_obs']` and `infos['final_info']` hold its end.

    Args:
        num_envs: N.
        settings: see `SeatEnv`.
    """

    task: ClassVar[Task]
    metadata = {'autoreset_mode': AutoresetMode.SAME_STEP, 'render_modes': []}  # noqa: RUF012  # gymnasium's form
    autoreset_mode = AutoresetMode.SAME_STEP  # where gymnasium's own vector environments have it too, and TorchRL looks

    def __init__(self, num_envs: int = 1, **settings: Any) -> None:
        self._games = SeatGames(self.task, num_envs, settings)
        self.sim, view = self._games.sim, self._games.view
        self.num_envs = num_envs
        self.single_observation_space = view.observation_space
        self.observation_space = batch_space(view.observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(view.actions.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Info]:
        """Deal all games again.

        Args:
            seed: game i takes seed + i, or its own of a list of N; None continues the current streams.
            options: none are known.
        """
        check_options(options)
        if seed is not None:
            seeds = self._seeds(seed)
            super().reset(seed=seeds[0])
            self.sim.seed(seeds)
        self._games.deal(np.arange(self.num_envs))
        return self._games.view.observe(self._games.positions), self._infos()

    def step(self, actions: Any) -> tuple[Any, Float64Array, BoolArray, BoolArray, Info]:
        """Make an action in each game, and play each until the seat is to move again; one that ends is dealt again."""
        learner = self._games
        learner.step(actions_of(actions, self.num_envs))
        rewards, over = learner.rewards(), self.sim.over
        final: Info = {}
        if over.any():
            ended = np.flatnonzero(over)
            final = self._final_infos(over, ended)
            self.sim.deal(ended)
        learner.look()
        observations = learner.view.observe(learner.positions)
        return observations, rewards, over, np.zeros(self.num_envs, np.bool_), final | self._infos()

    def action_masks(self) -> BoolArray:
        """Return whether each action is legal, bool [N, actions]."""
        return self._games.masks.copy()

    def _seeds(self, seed: Any) -> list[int | None]:
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise ConfigError(f'seed: {len(seed)} are given for {self.num_envs} games')
            return list(seed)
        check_whole('seed', seed, 0)
        return [int(seed) + i for i in range(self.num_envs)]

    def _infos(self) -> Info:
        every = np.ones(self.num_envs, np.bool_)
        return self._info_of(every, self._games.masks.astype(np.int8))

    def _info_of(self, where: BoolArray, masks: Int8Array) -> Info:
        parts = {'action_mask': masks, 'seat': self.sim.seats * where, 'skipped': self.sim.skipped * where}
        return parts | {f'_{name}': where.copy() for name in parts}

    def _final_infos(self, over: BoolArray, ended: Int64Array) -> Info:
        """Return the last observations and infos of the games that ended, at their indices, int64 [K]."""
        seen = np.full(self.num_envs, None, dtype=object)
        positions = self.sim.look(ended)
        for k, game in enumerate(ended.tolist()):
            seen[game] = self._games.view.single(positions.select(np.array([k])))
        masks = np.zeros(self._games.masks.shape, np.int8)
        final = self._info_of(over.copy(), masks)
        return {'final_obs': seen, '_final_obs': over.copy(), 'final_info': final, '_final_info': over.copy()}
