"""Big 2 as a PettingZoo AEC environment, in the shape of PettingZoo's classic card games."""

from typing import Any

from rlcard_big2.env import ILLEGAL_REWARD, Big2Env
from rlcard_big2.notation import position_text
from rlcard_big2.rules import Rules
from rlcard_kit.envs.pettingzoo_env import AGENTS, RENDER_MODES, Observation, SingleAEC, wrap

__all__ = ['Observation', 'env', 'raw_env']


def env(rules: str | Rules = 'charlesworth', render_mode: str | None = None) -> Any:
    """Make the environment with PettingZoo's usual wrappers.

    Args:
        rules: a preset's name or a `Rules`.
        render_mode: 'human' writes every position to standard output, 'ansi' lets `render` return it as text.

    An illegal action ends the game at -13 for the player who chose it and 0 for the others; a number that is not
    an action and a call before `reset` raise AssertionError.
    """
    return wrap(raw_env(rules, render_mode), ILLEGAL_REWARD)


class raw_env(SingleAEC):  # noqa: N801  # pettingzoo gives this name
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
        self.big2 = Big2Env({'seed': None, 'allow_step_back': False, 'game_rules': rules})
        super().__init__(self.big2, render_mode)

    def _text(self) -> str:
        return position_text(self.big2.scene(names=AGENTS))
