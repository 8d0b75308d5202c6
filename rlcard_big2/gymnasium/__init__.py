"""Big 2 as a Gymnasium environment: `gymnasium.make('Big2-v0')`. One seat learns, agents play the others."""

from collections.abc import Sequence
from typing import Any

from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.env import ILLEGAL_REWARD, Big2Env
from rlcard_big2.gymnasium.policy import PolicyAgent
from rlcard_big2.gymnasium.views import make_view
from rlcard_big2.notation import Scene, position_text
from rlcard_big2.registry import make_agent
from rlcard_big2.render.svg import draw
from rlcard_big2.rules import Rules
from rlcard_kit.envs.gymnasium_env import RAISE, SeatEnv, SeatVectorEnv
from rlcard_kit.envs.opponents import make_single_agent_env

__all__ = ['Big2SeatEnv', 'Big2SeatVectorEnv', 'PolicyAgent']


class Big2SeatEnv(SeatEnv):
    """One seat of Big 2, which learns; opponents play the other three. See `SeatEnv`.

    Args:
        opponents: an agent for all three, or a list of three: next, across and previous. An agent is a name as
            `rlcard_big2.make_agent` takes it, a `BatchAgent`, or anything with RLCard's `eval_step` and `use_raw`.
        pool: instead of opponents: a list of agents, from which each other seat draws one with each deal.
        rules: to play by, a `Rules` or a text as `rlcard_big2.rules.find_rules` reads it.
        seat: 0 to 3, 'rotate' for the next one with each deal, or 'random' for any with each deal.
        actions: 'slots', 'scored' or 'reduced'; see `docs/gymnasium.md`.
        most_moves: of 'scored': how many legal moves the observation shows; all by default.
        illegal: 'raise' IllegalActionError for an action that is not legal, or 'end' the game at a reward of -13.
        render_mode: 'ansi', 'rgb_array' or None.
    """

    metadata = {'render_modes': ['ansi', 'rgb_array'], 'render_fps': 1}  # noqa: RUF012  # gymnasium's form

    def __init__(
        self,
        opponents: Any = None,
        pool: Sequence[Any] | None = None,
        rules: str | Rules = 'charlesworth',
        seat: int | str = 'rotate',
        actions: str = 'slots',
        most_moves: int | None = None,
        illegal: str = RAISE,
        render_mode: str | None = None,
    ) -> None:
        sim = make_single_agent_env(BIG2, make_agent, 1, rules, opponents, pool, seat)
        super().__init__(sim, make_view(actions, sim.rules, most_moves), illegal, ILLEGAL_REWARD, render_mode)
        self._shown = Big2Env({'seed': 0, 'allow_step_back': False, 'game_rules': sim.rules})

    def scene(self) -> Scene:
        """Return the position with all hands, to be written or drawn."""
        self._shown.show(self.sim.games, self.sim.moves_of(0))
        return self._shown.scene(names=self.names())

    def render(self) -> Any:
        """Show all hands, the table and the last moves: as text, or as uint8 [344, 640, 3]; None without a mode."""
        if self.render_mode == 'ansi':
            return position_text(self.scene())
        if self.render_mode == 'rgb_array':
            from rlcard_big2.render.pixels import rasterise  # needs Pillow

            return rasterise(draw(self.scene()))
        return None


class Big2SeatVectorEnv(SeatVectorEnv):
    """A seat of each of N games of Big 2 in lock step; see `SeatVectorEnv`, and `Big2SeatEnv` for the arguments."""

    def __init__(
        self,
        num_envs: int = 1,
        opponents: Any = None,
        pool: Sequence[Any] | None = None,
        rules: str | Rules = 'charlesworth',
        seat: int | str = 'rotate',
        actions: str = 'slots',
        most_moves: int | None = None,
        illegal: str = RAISE,
    ) -> None:
        sim = make_single_agent_env(BIG2, make_agent, num_envs, rules, opponents, pool, seat)
        super().__init__(sim, make_view(actions, sim.rules, most_moves), illegal, ILLEGAL_REWARD)
