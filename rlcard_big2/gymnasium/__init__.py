"""Big 2 as a Gymnasium environment: `gymnasium.make('Big2-v0')`. One seat learns, agents play the others."""

from typing import Any

from typing_extensions import override

from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.env import ILLEGAL_REWARD, Big2Env
from rlcard_big2.gymnasium.policy import PolicyAgent
from rlcard_big2.gymnasium.views import make_view
from rlcard_big2.notation import Scene, position_text
from rlcard_big2.registry import make_agent
from rlcard_kit.envs.gymnasium_env import SeatEnv, SeatVectorEnv, Task

__all__ = ['Big2SeatEnv', 'Big2SeatVectorEnv', 'PolicyAgent']


TASK = Task(BIG2, make_agent, make_view, Big2Env, ILLEGAL_REWARD)


class Big2SeatEnv(SeatEnv):
    """One seat of Big 2, which learns; opponents play the others. See `SeatEnv`.

    Args:
        opponents: an agent for all, or a list of one for each: next, across and previous. An agent is a name as
            `rlcard_big2.make_agent` takes it, a `BatchAgent`, or anything with RLCard's `eval_step` and `use_raw`.
        pool: instead of opponents: a list of agents, from which each other seat draws one with each deal.
        rules: to play by, a `Rules` or a text as `rlcard_big2.rules.find_rules` reads it; 'charlesworth' by default.
        seat: 0 to 3, 'rotate' for the next one with each deal, or 'random' for any with each deal.
        actions: 'slots', 'scored', 'reduced' or 'compact'; see `docs/gymnasium.md`.
        most_moves: of 'scored': how many legal moves the observation shows; all by default.
        illegal: 'raise' IllegalActionError for an action that is not legal, or 'end' the game at a reward of -13.
        render_mode: 'ansi', 'rgb_array' or None.
    """

    metadata = {'render_modes': ['ansi', 'rgb_array'], 'render_fps': 1}  # noqa: RUF012  # gymnasium's form
    task = TASK

    def scene(self) -> Scene:
        """Return the position with all hands, to be written or drawn."""
        shown: Any = self.shown()
        scene: Scene = shown.scene(names=self.names())
        return scene

    @override
    def render(self) -> Any:
        """Show all hands, the table and the last moves: as text, or as uint8 [344, 640, 3]; None without a mode."""
        if self.render_mode == 'rgb_array':
            from rlcard_big2.render.pixels import rasterise  # needs Pillow
            from rlcard_big2.render.svg import draw

            return rasterise(draw(self.scene()))
        return position_text(self.scene()) if self.render_mode == 'ansi' else None


class Big2SeatVectorEnv(SeatVectorEnv):
    """A seat in each of N games of Big 2, stepped together; see `Big2SeatEnv` for the settings."""

    task = TASK
