"""Big 2 as a PettingZoo AEC environment, in the shape of PettingZoo's classic card games."""

from typing import Any

from typing_extensions import override

from rlcard_big2.env import ILLEGAL_REWARD, Big2Env
from rlcard_big2.notation import position_text
from rlcard_big2.rules import RulesLike
from rlcard_kit.envs.pettingzoo_env import Observation, PettingZooEnv, metadata_of, wrap
from rlcard_kit.envs.rlcard_env import IDS

__all__ = ['Observation', 'env', 'raw_env']


def env(rules: RulesLike = 'charlesworth', render_mode: str | None = None, actions: str = IDS) -> Any:
    """Make the environment with PettingZoo's usual wrappers.

    Args:
        rules: a preset's name or a `Rules`.
        render_mode: 'human' writes every position to standard output, 'ansi' lets `render` return it as text.
        actions: 'ids', 'slots', 'reduced' or 'compact', see `docs/gymnasium.md`.

    An illegal action ends the game at -13 for the player who chose it and 0 for the others; a number that is not
    an action and a call before `reset` raise AssertionError.
    """
    return wrap(raw_env(rules, render_mode, actions), ILLEGAL_REWARD)


class raw_env(PettingZooEnv):  # noqa: N801  # pettingzoo gives this name
    """Big 2 for 'player_0', 'player_1' and so on, without wrappers.

    Args:
        rules: a preset's name or a `Rules`, 'charlesworth' by default; ConfigError or RulesError if it is neither.
        render_mode: 'human', 'ansi' or None; ConfigError names the modes.
        actions: 'ids', 'slots', 'reduced' or 'compact'; ConfigError names them.

    An observation has 'observation' (int8 [1339] for four players: `engine.observation.LAYOUT` in order) and
    'action_mask' (int8 [actions], 23,740 ids by default), which `infos` has too: the same array. Away from the agent's
    turn and at the end it is zeros, and most masked distributions raise an error. Rewards are the payoffs, in units of
    one card, and come at the end.
    """

    metadata = metadata_of('big2_v0')
    rlcard_type = Big2Env
    rlcard_env: Big2Env

    @override
    def _text(self) -> str:
        return position_text(self.rlcard_env.scene(names=self.possible_agents))
