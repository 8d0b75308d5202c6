"""Puzzles in a terminal, one after the other."""

from collections.abc import Callable, Iterable

from rlcard_big2.records import Record
from rlcard_big2.study.advice import Advisor
from rlcard_big2.study.analysis import open_position, position_lines
from rlcard_big2.study.puzzles import is_right
from rlcard_big2.terminal.formatting import Style, choices, value_lines
from rlcard_big2.terminal.move_input import explain, find_action
from rlcard_big2.terminal.session import Conversation, LeftError

PROMPT = 'What do you play? '
NEXT = 'Another? (y/n) '
HELP = {
    'cards': 'your answer: 3d, Th Ts or tdtc, in any order',
    '#4': 'number 4 of the list is your answer',
    'p': 'to pass is your answer',
    'more': 'all moves; (+2) stands for two more of the same ranks',
    'q': 'leave',
}


class Quiz(Conversation):
    """Asks puzzles of a person.

    Args:
        puzzles: to ask.
        advisor: that says what the moves are worth.
        style: of the terminal.
        read: shows a prompt and returns one line, as `input` does.
        write: shows one text, as `print` does.
    """

    def __init__(
        self,
        puzzles: Iterable[Record],
        advisor: Advisor,
        style: Style,
        *,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
    ) -> None:
        super().__init__(style, read, write)
        self.asked = self.solved = 0
        self._puzzles = puzzles
        self._advisor = advisor

    def run(self) -> None:
        """Ask until there are no more puzzles or the person leaves, and say how many were solved."""
        try:
            for puzzle in self._puzzles:
                if self.asked and self._ask(NEXT) not in ('', 'y', 'yes'):
                    break
                self._pose(puzzle)
            else:
                self._say(' There are no more puzzles.')
        except LeftError:
            pass
        self.tell()

    def tell(self) -> None:
        """Say how many puzzles were solved."""
        self._say(f' {self.solved} of {self.asked} solved.')

    def _pose(self, puzzle: Record) -> None:
        state = open_position(puzzle)
        legal: list[str] = state['raw_legal_actions']
        self._say('')
        for line in position_lines(puzzle, state, self.style):
            self._say(line)
        self._show_choices(legal, puzzle, folded=True)
        move = self._answer(puzzle, state['raw_obs'], legal)
        advice = self._advisor.advise(state)
        right = is_right(puzzle, move, advice)
        self.asked, self.solved = self.asked + 1, self.solved + right
        best = self.style.cards(puzzle.extra['best'])
        self._say(' Right.' if right else f' Not the best: {best} is.')
        for line in value_lines(advice, legal, self.style):
            self._say(line)

    def _answer(self, puzzle: Record, seen: dict[str, object], legal: list[str]) -> str:
        """Ask until a legal move was entered; return it."""
        while True:
            entry = self._ask(PROMPT)
            index = find_action(entry, legal)
            if index is not None:
                return legal[index]
            if entry == 'more':
                self._show_choices(legal, puzzle, folded=False)
            elif entry == '?':
                self._explain(HELP)
            else:
                self._say(f' {explain(entry, seen, legal)} ? explains.')

    def _show_choices(self, legal: list[str], puzzle: Record, folded: bool) -> None:
        for line in choices(legal, puzzle.rules, self.style, folded):
            self._say(line)
