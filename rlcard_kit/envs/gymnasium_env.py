"""One seat of a game as a Gymnasium environment, and of N games as a vector environment, whatever the game."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from rlcard_kit.arrays import BoolArray, Float64Array, Int8Array, Int64Array
from rlcard_kit.envs.single_agent import SingleAgentEnv
from rlcard_kit.errors import ConfigError, GameOverError, IllegalActionError, check_whole
from rlcard_kit.positions import Positions

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError as error:  # an old one has no AutoresetMode
    raise ImportError("this face needs Gymnasium: pip install 'rlcard-big2[gymnasium]'") from error

RAISE, END = 'raise', 'end'
SHOWN = 4  # legal actions that an error names
OVER = 'the game is over, or not dealt yet: call reset() before the next step'
Info = dict[str, Any]


class View(ABC):
    """What a learner sees of a position, and the numbers of its actions."""

    observation_space: spaces.Space[Any]
    num_actions: int

    @abstractmethod
    def observe(self, positions: Positions) -> Any:
        """Return what the learner sees of N games, in arrays of their own, as the batched observation space has it."""

    @abstractmethod
    def masks(self, positions: Positions) -> BoolArray:
        """Return which actions are legal, bool [N, actions]; none once a game is over."""

    @abstractmethod
    def indices(self, positions: Positions, actions: Int64Array) -> Int64Array:
        """Return the index in `positions.moves` of what each action means, int64 [N]; they are legal."""

    def single(self, positions: Positions) -> Any:
        """Return what the learner sees of the first game."""
        seen = self.observe(positions)
        return {name: part[0] for name, part in seen.items()} if isinstance(seen, dict) else seen[0]


class Learner:
    """A sim seen through a view: what both faces share.

    Args:
        sim: the games.
        view: of the learner.
        illegal: what an action that is not legal does: RAISE IllegalActionError, or END the game.
        forfeit: the reward for ending it so.
    """

    def __init__(self, sim: SingleAgentEnv, view: View, illegal: str, forfeit: float) -> None:
        if illegal not in (RAISE, END):
            raise ConfigError(f'illegal={illegal!r}: expected {RAISE!r} or {END!r}')
        self.sim = sim
        self.view = view
        self._ends = illegal == END
        self._forfeit = forfeit
        self.look()

    def look(self) -> None:
        """Take note of what the learner sees and may do."""
        self.positions = self.sim.look()
        self.masks = self.view.masks(self.positions) & ~self.sim.over[:, None]

    def deal(self, where: Int64Array) -> None:
        """Deal some games anew."""
        self.sim.deal(where)
        self.look()

    def step(self, given: Int64Array) -> None:
        """Make an action, int64 [N], in each game; IllegalActionError or GameOverError if one cannot be made.

        `look` has to follow.
        """
        if self.sim.over.any():
            raise GameOverError(OVER)
        exists = (given >= 0) & (given < self.view.num_actions)
        actions = np.where(exists, given, 0)
        legal = exists & self.masks[np.arange(len(actions)), actions]
        if not legal.all():
            self._refuse(np.flatnonzero(~legal), given)
        where = np.flatnonzero(legal)
        self.sim.step(where, self._moves(where, actions[where]))

    def _moves(self, where: Int64Array, actions: Int64Array) -> Int64Array:
        """Return the moves that legal actions mean in some games."""
        positions = self.positions if where.size == len(self.masks) else self.positions.select(where)
        moves: Int64Array = positions.moves[self.view.indices(positions, actions)]
        return moves

    def _refuse(self, where: Int64Array, actions: Int64Array) -> None:
        if not self._ends:
            game = int(where[0])
            raise IllegalActionError(self._explain(game, int(actions[game])))
        self.sim.abandon(where)

    def rewards(self) -> Float64Array:
        """Return the learner's payoffs, float64 [N]; zeros until a game is over."""
        own = self.sim.payoffs[np.arange(self.sim.num_games), self.sim.seats]
        return np.where(self.sim.abandoned, self._forfeit, own.astype(np.float64))

    def _explain(self, game: int, action: int) -> str:
        """Say which actions are legal instead."""
        where = '' if self.sim.num_games == 1 else f'in game {game} '
        what = 'is not legal'
        if not 0 <= action < self.view.num_actions:
            what = f'does not exist, they run from 0 to {self.view.num_actions - 1}'
        legal = np.flatnonzero(self.masks[game])
        moves = [self._moves(np.array([game]), np.array([other]))[0] for other in legal[:SHOWN]]
        texts = [self.sim.game.text(int(move), self.sim.rules) for move in moves]
        named = ', '.join(f'{other} ({text})' for other, text in zip(legal, texts, strict=False))
        more = ', ...' if len(legal) > SHOWN else ''
        return (
            f'{where}action {action} {what}: {len(legal)} {"is" if len(legal) == 1 else "are"} legal, {named}{more}. '
            f"action_masks() and info['action_mask'] tell them all; illegal={END!r} would end the game instead"
        )


def actions_of(given: Any, count: int) -> Int64Array:
    """Return a caller's actions, int64 [count]; IllegalActionError if they are anything else than whole numbers."""
    actions = np.asarray(given)
    if actions.dtype.kind not in 'iu' or actions.size != count:
        expected = 'a whole number' if count == 1 else f'{count} whole numbers'
        raise IllegalActionError(f'{given!r:.80} is not an action: expected {expected}')
    return actions.reshape(count).astype(np.int64)


def check_options(options: dict[str, Any] | None) -> None:
    """Raise ConfigError for options of a reset: there are none."""
    if options:
        raise ConfigError(f'reset: unknown options {", ".join(map(repr, options))}: there are none')


class SeatEnv(gymnasium.Env[Any, Any], ABC):
    """One seat of a game, which learns; opponents play the others.

    Rewards are 0, and at the end the payoff. All draws follow from the seed of `reset`.

    Args:
        sim: a single game.
        view: what the seat sees and may do.
        illegal: what an action that is not legal does: 'raise' IllegalActionError, and leave everything as it was, or
            'end' the game, as Gymnasium's `check_env` needs.
        forfeit: the reward for ending it so.
        render_mode: one of `metadata['render_modes']` or None; ConfigError names them.
    """

    def __init__(
        self, sim: SingleAgentEnv, view: View, illegal: str, forfeit: float, render_mode: str | None = None
    ) -> None:
        modes = self.metadata['render_modes']
        if render_mode not in (None, *modes):
            raise ConfigError(f'render_mode={render_mode!r}: the modes are None, {", ".join(map(repr, modes))}')
        self.render_mode = render_mode
        self.sim = sim
        self._learner = Learner(sim, view, illegal, forfeit)
        self.observation_space = view.observation_space
        self.action_space = spaces.Discrete(view.num_actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Info]:
        """Deal a new game, and play until the seat is to move.

        Args:
            seed: of this and all later deals, seats and draws of opponents; None goes on with those of before.
            options: none are known.
        """
        check_options(options)
        super().reset(seed=seed)
        if seed is not None:
            self.sim.seed([seed])
        self._learner.deal(np.zeros(1, np.int64))
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Make an action, and play until the seat is to move again or the game is over."""
        self._learner.step(actions_of(action, 1))
        self._learner.look()
        observation, info = self._seen()
        return observation, float(self._learner.rewards()[0]), bool(self.sim.over[0]), False, info

    def action_masks(self) -> BoolArray:
        """Return which actions are legal, bool [actions]; none once the game is over."""
        return self._learner.masks[0].copy()

    def _seen(self) -> tuple[Any, Info]:
        info = {'action_mask': self._learner.masks[0].astype(np.int8), 'seat': int(self.sim.seats[0])}
        return self._learner.view.single(self._learner.positions), info

    def names(self) -> list[str]:
        """Return who sits in each seat."""
        return ['learner' if i < 0 else self.sim.opponents[i].name for i in self.sim.seating[0].tolist()]

    @abstractmethod
    def render(self) -> Any:
        """Show all hands, the table and the last moves."""


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """A seat of each of N games in lock step; see `SeatEnv`.

    A game that ends is dealt anew in the same step: `infos['final_obs']` and `infos['final_info']` tell how it ended.

    Args:
        sim: N games.
        view: what a seat sees and may do.
        illegal: see `SeatEnv`.
        forfeit: see `SeatEnv`.
    """

    metadata = {'autoreset_mode': AutoresetMode.SAME_STEP, 'render_modes': []}  # noqa: RUF012  # gymnasium's form

    def __init__(self, sim: SingleAgentEnv, view: View, illegal: str, forfeit: float) -> None:
        self.sim = sim
        self.num_envs = sim.num_games
        self._learner = Learner(sim, view, illegal, forfeit)
        self.single_observation_space = view.observation_space
        self.observation_space = batch_space(view.observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(view.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, Info]:
        """Deal all games anew.

        Args:
            seed: game i takes seed + i, or its own of a list of N; None goes on with the seeds of before.
            options: none are known.
        """
        check_options(options)
        if seed is not None:
            seeds = self._seeds(seed)
            super().reset(seed=seeds[0])
            self.sim.seed(seeds)
        self._learner.deal(np.arange(self.num_envs))
        return self._learner.view.observe(self._learner.positions), self._infos()

    def step(self, actions: Any) -> tuple[Any, Float64Array, BoolArray, BoolArray, Info]:
        """Make an action in each game, and play each until the seat is to move again; one that ends is dealt anew."""
        learner = self._learner
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
        """Return which actions are legal, bool [N, actions]."""
        return self._learner.masks.copy()

    def _seeds(self, seed: Any) -> list[int | None]:
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise ConfigError(f'seed: {len(seed)} are given for {self.num_envs} games')
            return list(seed)
        check_whole('seed', seed, 0)
        return [int(seed) + i for i in range(self.num_envs)]

    def _infos(self) -> Info:
        every = np.ones(self.num_envs, np.bool_)
        return self._info_of(every, self._learner.masks.astype(np.int8))

    def _info_of(self, where: BoolArray, masks: Int8Array) -> Info:
        seats = np.where(where, self.sim.seats, 0)
        return {'action_mask': masks, '_action_mask': where, 'seat': seats, '_seat': where.copy()}

    def _final_infos(self, over: BoolArray, ended: Int64Array) -> Info:
        """Return what is to be seen of the games that ended, at their indices, int64 [K]."""
        seen = np.full(self.num_envs, None, dtype=object)
        positions = self.sim.look(ended)
        for k, game in enumerate(ended.tolist()):
            seen[game] = self._learner.view.single(positions.select(np.array([k])))
        masks = np.zeros(self._learner.masks.shape, np.int8)
        final = self._info_of(over.copy(), masks)
        return {'final_obs': seen, '_final_obs': over.copy(), 'final_info': final, '_final_info': over.copy()}
