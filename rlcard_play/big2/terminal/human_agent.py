"""Human agent for RLCard's own loop. `big2 play` is more comfortable."""

from collections.abc import Callable

from rlcard_big2.notation import position_text, scene_of_state
from rlcard_play.big2.terminal.board import BOARD
from rlcard_play.study.protocols import Json, State
from rlcard_play.terminal.board import QUIT

PROMPT = 'Your move (cards such as 3d 3h, or #number, p = pass, q = quit): '


class HumanAgent:
    """Prompts a person for every move.

    An entry is an action's cards in any order and case ('Th tc'), its number in the list ('#8'), or 'p' for a pass.
    On 'q', the end of the input and Ctrl-C, `step` and `eval_step` raise SystemExit.

    Args:
        num_actions: not used; RLCard's human agents take it, as in `HumanAgent(env.num_actions)`.
        read: shows a prompt and returns one line, as `input` does.
        write: shows one text, as `print` does.
    """

    use_raw = True

    def __init__(
        self,
        num_actions: int | None = None,
        *,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
    ) -> None:
        self._read = read
        self._write = write

    def step(self, state: State) -> str:
        """Show a state of `rlcard.make('big2')` and return the text of the chosen action."""
        legal: list[str] = state['raw_legal_actions']
        me = state['raw_obs']['self']
        names = ['you' if seat == me else f'player {seat}' for seat in range(len(state['raw_obs']['num_cards_left']))]
        self._write('\n' + position_text(scene_of_state(state, names), numbered=True))
        while True:
            entry = self._ask()
            index = BOARD.find(entry, legal)
            if index is not None:
                return legal[index]
            self._write(BOARD.explain(entry, state))

    def eval_step(self, state: State) -> tuple[str, Json]:
        """Return the text of the chosen action, and no information."""
        return self.step(state), {}

    def _ask(self) -> str:
        try:
            entry = self._read(PROMPT).strip().lower()
        except (EOFError, KeyboardInterrupt):
            raise SystemExit from None
        if entry in QUIT:
            raise SystemExit
        return entry
