"""Big 2 as a PettingZoo AEC environment, in the shape of PettingZoo's classic card games."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.actions import NUM_ACTIONS
from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS
from rlcard_big2.env import Big2Env
from rlcard_big2.errors import ConfigError
from rlcard_big2.notation import position_text
from rlcard_big2.rules import Rules

try:
    from gymnasium import logger, spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError as error:
    raise ImportError("rlcard_big2.pettingzoo needs PettingZoo: pip install 'rlcard-big2[pettingzoo]'") from error

AGENTS = tuple(f'player_{seat}' for seat in range(NUM_PLAYERS))
RENDER_MODES = ('human', 'ansi')
ILLEGAL_REWARD = -float(HAND_SIZE)  # what a full hand costs before rules double it: the usual -1 beats most defeats
Observation = dict[str, NDArray[np.int8]]

__all__ = ['env', 'raw_env']


def env(rules: str | Rules = 'charlesworth', render_mode: str | None = None) -> AECEnv:
    """Make the environment with PettingZoo's usual wrappers.

    Args:
        rules: a preset's name or a `Rules`.
        render_mode: 'human' writes every position to standard output, 'ansi' lets `render` return it as text.

    An illegal action ends the game at -13 for the player who chose it and 0 for the others; a number that is not
    an action and a call before `reset` raise AssertionError.
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(rules, render_mode), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801  # pettingzoo is untyped, and gives this name
    """Big 2 for 'player_0' to 'player_3', without wrappers.

    Args:
        rules: a preset's name or a `Rules`; ConfigError or RulesError if it is neither.
        render_mode: 'human', 'ansi' or None; ConfigError names the modes.

    An observation has 'observation' (int8 [1339]: `engine.observation.LAYOUT` in order) and 'action_mask'
    (int8 [NUM_ACTIONS], zeros away from the agent's turn). Rewards are the payoffs, in units of one card,
    and come at the end.
    """

    metadata = {  # noqa: RUF012  # pettingzoo declares it as a plain attribute
        'name': 'big2_v0',
        'render_modes': list(RENDER_MODES),
        'is_parallelizable': False,
        'render_fps': 1,
    }

    def __init__(self, rules: str | Rules = 'charlesworth', render_mode: str | None = None) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise ConfigError(f'render_mode={render_mode!r}: the modes are None, {", ".join(map(repr, RENDER_MODES))}')
        super().__init__()
        self.big2 = Big2Env({'seed': None, 'allow_step_back': False, 'game_rules': rules})
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self.observation_spaces = {agent: _observation_space() for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: of this and all later deals; None continues the current sequence.
            options: accepted and not used.
        """
        if seed is not None:
            self.big2.seed(seed)
        _, player = self.big2.reset()
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[player]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._show()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, whether or not it is to move."""
        state = self.big2.get_state(AGENTS.index(agent))
        mask = np.zeros(NUM_ACTIONS, np.int8)
        mask[list(state['legal_actions'])] = 1
        return {'observation': state['obs'], 'action_mask': mask}

    def step(self, action: int | None) -> None:
        """Play an action id for the selected agent; after the end, None removes the agent.

        IllegalActionError says why an action may not be played, and leaves everything as it was.
        """
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        _, player = self.big2.step(action)  # type: ignore[arg-type]  # its error explains None
        self.agent_selection = AGENTS[player]
        if self.big2.is_over():
            self._finish()
        self._show()

    def _finish(self) -> None:
        self.rewards = dict(zip(AGENTS, map(float, self.big2.get_payoffs()), strict=True))
        self.terminations = dict.fromkeys(AGENTS, True)
        self._accumulate_rewards()

    def _show(self) -> None:
        if self.render_mode == 'human':
            self.render()

    def render(self) -> str | None:
        """Show all hands, the table and the last moves: return the text, or write it if the mode is 'human'."""
        if self.render_mode is None:
            logger.warn("render() shows nothing without a mode: make the environment with render_mode='ansi'")
            return None
        text = position_text(self.big2.scene(names=AGENTS))
        if self.render_mode == 'ansi':
            return text
        sys.stdout.write(f'{text}\n\n')
        return None

    def close(self) -> None:
        """Do nothing: no window is open."""


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            'observation': spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8),
            'action_mask': spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
        }
    )
