"""One game as a PettingZoo AEC environment, shaped as PettingZoo's classic card games; transitions of each seat."""

import sys
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rlcard_kit.envs.callers import spoiling_wrapper, warn_once
from rlcard_kit.envs.rlcard_env import IDS, RLCardEnv
from rlcard_kit.errors import ConfigError, installing

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise ImportError(f'this environment needs PettingZoo: {installing("pettingzoo")}') from error

RENDER_MODES = ('human', 'ansi')
Observation = dict[str, NDArray[np.int8]]


def metadata_of(name: str) -> dict[str, Any]:
    """Return PettingZoo's metadata of an environment of that name."""
    return {'name': name, 'render_modes': list(RENDER_MODES), 'is_parallelizable': False, 'render_fps': 1}


def wrap(env: AECEnv, illegal_reward: float) -> AECEnv:
    """Return an environment with PettingZoo's usual wrappers.

    An illegal action ends the game at `illegal_reward` for the player who chose it and 0 for the others; a number that
    is not an action and a call before `reset` raise AssertionError.
    """
    wrapped = wrappers.TerminateIllegalWrapper(env, illegal_reward=illegal_reward)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class PettingZooEnv(AECEnv):  # type: ignore[misc]  # pettingzoo is untyped
    """One game for 'player_0', 'player_1' and so on, without wrappers.

    Args:
        rules: a preset's name or `Rules`, the game's default if None; ConfigError or RulesError if it is neither.
        render_mode: 'human', 'ansi' or None; ConfigError names the modes.
        actions: a set of actions as the game's 'game_actions' of RLCard; ConfigError names them.

    An observation has 'observation' (the state's 'obs') and 'action_mask', int8, which `infos` has too: the same array.
    Away from the agent's turn and at the end it is zeros, and most masked distributions raise an error. Rewards are the
    payoffs, and come at the end.
    """

    rlcard_type: ClassVar[type[RLCardEnv]]

    def __init__(self, rules: Any = None, render_mode: str | None = None, actions: str = IDS) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise ConfigError(f'render_mode={render_mode!r}: the modes are None, {", ".join(map(repr, RENDER_MODES))}')
        super().__init__()
        rules = self.rlcard_type.game_type.default_rules if rules is None else rules
        config = {'seed': None, 'allow_step_back': False, 'game_rules': rules}
        self.rlcard_env = single = self.rlcard_type(config if actions == IDS else {**config, 'game_actions': actions})
        self.render_mode = render_mode
        self.possible_agents = [f'player_{seat}' for seat in range(single.num_players)]
        self.agents = self.possible_agents.copy()
        self.observation_spaces = {agent: _observation_space(single) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(single.num_actions) for agent in self.possible_agents}

    @override
    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    @override
    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    @override
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: of this and all later deals; None continues the current sequence.
            options: accepted and not used.
        """
        if seed is not None:
            self.rlcard_env.seed(seed)
        self.agents = self.possible_agents.copy()
        self._look(*self.rlcard_env.reset())
        self.rewards = dict.fromkeys(self.possible_agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.possible_agents, 0.0)
        self.terminations = dict.fromkeys(self.possible_agents, False)
        self.truncations = dict.fromkeys(self.possible_agents, False)
        self._show()

    def _look(self, state: Any, player: int) -> None:
        self.agent_selection = mover = self.possible_agents[player]
        mask = np.zeros(self.rlcard_env.num_actions, np.int8)
        mask[list(state['legal_actions'])] = 1
        self._seen = {mover: state['obs']}
        self._masks = {**dict.fromkeys(self.possible_agents, np.zeros_like(mask)), mover: mask}
        self.infos = {agent: {'action_mask': mask} for agent, mask in self._masks.items()}

    @override
    def observe(self, agent: str) -> Observation:
        """Return an agent's observation, also away from its turn."""
        if agent not in self._seen:
            self._seen[agent] = self.rlcard_env.get_state(self.possible_agents.index(agent))['obs']
        return {'observation': self._seen[agent].copy(), 'action_mask': self._masks[agent]}

    @override
    def step(self, action: int | None) -> None:
        """Play an action id for the selected agent; after the end, None removes the agent.

        IllegalActionError gives the reason why an action is not legal; nothing has changed.
        """
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._look(*self.rlcard_env.step(action))  # type: ignore[arg-type]  # its error explains None
        if self.rlcard_env.is_over():
            self.rewards = dict(zip(self.possible_agents, map(float, self.rlcard_env.get_payoffs()), strict=True))
            self.terminations = dict.fromkeys(self.possible_agents, True)
            self._accumulate_rewards()
        self._show()

    @override
    def _deads_step_first(self) -> str:
        """Warn of a wrapper that spoils masks: PettingZoo calls this once it has ended a game at an illegal action."""
        warn_once(spoiling_wrapper())
        return str(super()._deads_step_first())

    def _show(self) -> None:
        if self.render_mode == 'human':
            self.render()

    @override
    def render(self) -> str | None:
        """Show all hands, the table and the last moves: return the text, or write it if the mode is 'human'."""
        if self.render_mode is None:
            logger.warn("render() shows nothing without a mode: make the environment with render_mode='ansi'")
            return None
        text = self._text()
        if self.render_mode == 'ansi':
            return text
        sys.stdout.write(f'{text}\n\n')
        return None

    def _text(self) -> str:
        return self.rlcard_env.describe()

    @override
    def close(self) -> None:
        """Do nothing: no window is open."""


def _observation_space(single: RLCardEnv) -> spaces.Dict:
    return spaces.Dict(
        {
            'observation': spaces.Box(0, 1, tuple(single.state_shape[0]), np.int8),
            'action_mask': spaces.Box(0, 1, (single.num_actions,), np.int8),
        }
    )


class Transition(NamedTuple):
    """A decision of a seat, and what the seat sees at its next one, or at the end."""

    observation: NDArray[Any]
    mask: NDArray[Any]
    action: int
    reward: float
    """0, but the payoff of the game at the seat's last decision."""
    next_observation: NDArray[Any]
    next_mask: NDArray[Any]
    """Zeros at the end."""
    is_last: bool


def play_transitions(
    env: Any, choose: Callable[[str, dict[str, Any]], Any], seed: int | None = None
) -> Iterator[tuple[str, Transition]]:
    """Play a game, and yield each transition once it is complete, with the agent whose it is.

    In a turn-based game, a loop over steps gives the next view to another seat, and the end to the seat that moved
    last alone. A seat that never moves has no transition.

    Args:
        env: an AEC environment whose observations have 'observation' and 'action_mask'.
        choose: returns an action for an agent and its observation.
        seed: of `reset`.
    """
    env.reset(seed=seed)
    waiting: dict[str, tuple[Any, Any, int]] = {}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        view, is_last = (seen['observation'], seen['action_mask']), terminated or truncated
        if agent in waiting:
            yield agent, Transition(*waiting.pop(agent), reward, *view, is_last)
        action = None if is_last else choose(agent, seen)
        if action is not None:
            waiting[agent] = *view, int(action)
        env.step(action)
