"""One game as a PettingZoo AEC environment, in the shape of PettingZoo's classic card games."""

import sys
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from rlcard_kit.envs.callers import spoiling_wrapper, warn_once
from rlcard_kit.envs.rlcard_env import IDS, RLCardEnv
from rlcard_kit.errors import ConfigError

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise ImportError("this environment needs PettingZoo: pip install '.[pettingzoo]'") from error

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
        rules: a preset's name or `Rules`; ConfigError or RulesError if it is neither.
        render_mode: 'human', 'ansi' or None; ConfigError names the modes.
        actions: a set of actions as the game's 'game_actions' of RLCard; ConfigError names them.

    An observation has 'observation' (the state's 'obs') and 'action_mask', int8, which `infos` has too: the same array.
    Away from the agent's turn and at the end it is zeros, and most masked distributions raise an error. Rewards are the
    payoffs, and come at the end.
    """

    rlcard_type: ClassVar[type[RLCardEnv]]

    def __init__(self, rules: Any, render_mode: str | None = None, actions: str = IDS) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise ConfigError(f'render_mode={render_mode!r}: the modes are None, {", ".join(map(repr, RENDER_MODES))}')
        super().__init__()
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
        """Select a player, given its state."""
        self.agent_selection = self._mover = self.possible_agents[player]
        self._seen, self._mask = state['obs'], np.zeros(self.rlcard_env.num_actions, np.int8)
        self._mask[list(state['legal_actions'])] = 1
        self._away = np.zeros_like(self._mask)
        self.infos: dict[str, dict[str, Any]] = {agent: {'action_mask': self._away} for agent in self.possible_agents}
        self.infos[self._mover]['action_mask'] = self._mask

    @override
    def observe(self, agent: str) -> Observation:
        """Return an agent's observation, also away from its turn."""
        if agent == self._mover:
            return {'observation': self._seen.copy(), 'action_mask': self._mask}
        state = self.rlcard_env.get_state(self.possible_agents.index(agent))
        return {'observation': state['obs'], 'action_mask': self._away}

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
        if text := spoiling_wrapper():
            warn_once(text)
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
        """Return the position as text, with all hands."""
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
