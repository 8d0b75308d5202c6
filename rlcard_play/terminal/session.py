"""Terminal sessions: a person plays games against agents."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from rlcard_kit.errors import KitError
from rlcard_play.study.seated_game import SeatedGame
from rlcard_play.terminal.board import ME, QUIT, Board
from rlcard_play.terminal.style import Style

PROMPT = '> '
STRICT = ' This game is strict: no advice, no take-backs.'
TAKE_BACK = 'u'

Command = Callable[[], bool | None]  # returns whether the turn is over


class LeftError(Exception):
    """Raised when the person quits."""


class Session(ABC):
    """Games of one person with agents.

    Args:
        game: the players and their current game.
        advisor: gives advice, and reviews the person's moves after a game.
        style: of the terminal.
        read: shows a prompt and returns one line, as `input` does.
        write: shows one text, as `print` does.
        file: for records of the games; None keeps none.
        strict: no advice and no take-backs during a game.
    """

    BOARD: ClassVar[Board]
    HELP: ClassVar[Mapping[str, str]]
    """Meanings of the entries."""
    ADVICE: ClassVar[tuple[str, ...]] = ('h', 'v', 'd')
    """The entries that need the advisor; strict games refuse them, and take-backs."""

    def __init__(
        self,
        game: SeatedGame,
        advisor: Any,
        style: Style,
        *,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
        file: Path | None = None,
        strict: bool = False,
    ) -> None:
        self.game = game
        self.agents = [self.BOARD.levels.get(seat.name, seat.name) for seat in game.seats if seat is not None]
        self.advisor = advisor
        self.style = style
        self.file = file
        self.strict = strict
        self._read = read
        self._write = write
        self._saved = self._moves_made  # of the game that is in the file
        self._looked: tuple[tuple[object, ...], list[str]] = (), []  # a position, and its rollout analysis
        self._commands = self._make_commands()

    def run(self) -> None:
        """Play games until the person stops; LeftError if that is in mid-game."""
        while True:
            self._play()
            self._say('')
            self._show_moves()
            self._say(*self._result())
            self._say_mistakes()
            self.save()
            while (answer := self._ask(self._question())) not in ('', 'y', 'yes', 'n', 'no'):
                self._say(' Enter y or n.')
            if answer in ('n', 'no'):
                return
            self.game.deal_next()

    def save(self) -> None:
        """Append the game to the file, once."""
        if self.file is None or self._saved == self._moves_made or not self.game.trace:
            return
        self.game.records.write(self.file, self.game.record())
        self._saved = self._moves_made
        self._say(f'\n saved to {self.file}')

    @property
    def _moves_made(self) -> tuple[object, ...]:
        """The id and the moves of the game."""
        return self.game.id, *self.game.trace

    def _make_commands(self) -> dict[str, Command]:
        """Return the commands by entry."""
        return {
            '?': self._help,
            'h': self._hint,
            'v': self._values,
            'd': self._rollouts,
            TAKE_BACK: self._take_back,
            'l': self._log,
            's': self._cards_seen,
            'rules': self._rules,
        }

    def _play(self) -> None:
        self._rewind(0)
        while not self.game.is_over:
            if self.game.player != ME:
                self.game.play_agent()
            elif self.game.is_forced:
                self.game.play(self.game.legal[0])
            else:
                self._show()
                while not self._answer(self._ask(PROMPT)):
                    pass

    def _answer(self, entry: str) -> bool:
        """Execute an entry; return whether the turn is over."""
        index = self.BOARD.find(entry, self.game.legal)
        if index is not None:
            self.game.play(self.game.legal[index])
            return True
        if self.strict and entry in (*self.ADVICE, TAKE_BACK):
            self._say(STRICT)
        elif entry in self._commands:
            if entry in self.ADVICE:
                self.game.note_advice()
            try:
                return bool(self._commands[entry]())
            except KitError as error:  # a deep analysis is not for all rules
                self._say(f' {error}')
        else:
            self._say(f' {self.BOARD.explain(entry, self.game.state)} Enter ? for help.')
        return False

    def _take_back(self) -> bool:
        """Take back the person's last choice; return whether there was one."""
        if not self.game.take_back(ME):
            self._say(' Nothing to take back.')
            return False
        self._rewind(self.game.ply)
        return True

    def _help(self) -> None:
        width = max(5, *map(len, self.HELP))
        self._say(*(self.style.line(f' {entry:<{width}}  ', text.split(), ' ') for entry, text in self.HELP.items()))

    def _rules(self) -> None:
        """Write the rules in force."""
        self._say(f' Rules: {self.game.rules.title}')
        self._say(*(f' {line}' for line in self.BOARD.rule_lines(self.game.rules, self.style)))

    def _question(self) -> str:
        """Return the question after a game; yes deals another."""
        return 'Again? (y/n) '

    def _hint(self) -> None:
        """Write the best moves."""
        if not self._say_looked():
            self._say(self.BOARD.hint(self.advisor.advise(self.game.state), self.style))

    def _values(self) -> None:
        """Write the value of each move."""
        if self._say_looked():
            return
        advice = self.advisor.advise(self.game.state)
        self._say(*self.BOARD.values(self.advisor, advice, self.game.legal, self.style))

    def _rollouts(self) -> None:
        """Write a rollout analysis."""
        lines = self.BOARD.rollouts(self.advisor.look(self.game.state), self.game.legal, self.style)
        self._looked = self._position(), list(lines)
        self._say_looked()

    def _say_looked(self) -> bool:
        """Write the rollout analysis of the position, which replaces first estimates; return whether there is one."""
        position, lines = self._looked
        if is_known := position == self._position():
            self._say(*lines)
        return is_known

    def _position(self) -> tuple[object, ...]:
        return self.game.id, *self.game.trace

    def _say_mistakes(self) -> None:
        """Write the person's worst moves in a game that is over, if rollouts confirm them, where there are any."""
        board, record = self.BOARD, self.game.record()
        worst = board.game.worst(board.game.review(record, self.advisor), ME)
        checked = board.confirm(self.advisor, record, worst)
        listed = [move for move in worst if move.ply in checked.confirmed]
        self._say(*board.checked_lines(checked))
        mistakes = board.mistakes.format(self.advisor.name)
        self._say(f' Your {mistakes}:' if listed else f' No {board.no_mistakes}.')
        self._say(*(board.review(move, self.style) for move in listed))

    @abstractmethod
    def _rewind(self, ply: int) -> None:
        """Note that the moves from a ply on were not shown."""

    @abstractmethod
    def _show(self) -> None:
        """Write the position before the person's move, after the moves since the last time."""

    @abstractmethod
    def _show_moves(self) -> None:
        """Write the moves since the last time."""

    @abstractmethod
    def _result(self) -> Iterable[str]:
        """Return the lines of the result of the game."""

    @abstractmethod
    def _log(self) -> None:
        """Write the moves of the game."""

    @abstractmethod
    def _cards_seen(self) -> None:
        """Write the cards played, and those still out."""

    def _ask(self, prompt: str) -> str:
        """Read an entry; LeftError if the person quits."""
        try:
            entry = self._read(prompt).strip().lower()
        except EOFError:
            self._say('')
            raise LeftError from None
        if entry in QUIT:
            raise LeftError
        return entry

    def _say(self, *texts: str) -> None:
        for text in texts:
            self._write(self.style.paint(self.style.fit(text)))
