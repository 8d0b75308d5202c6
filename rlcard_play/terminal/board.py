"""A game as text in the terminal: entries, positions, moves, advice and grades."""

import json
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from time import monotonic
from typing import Any, ClassVar

from rlcard_kit.statistics import Estimate
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.protocols import Advisor, Json, MoveAdvice, State
from rlcard_play.study.review import Checked, Reviewed, check_grades
from rlcard_play.terminal.style import Style

ME = 0  # seat of the person at the terminal
NUMBER = re.compile(r'#[0-9]{1,9}')
LETTERS = str.maketrans({'♦': 'd', '♣': 'c', '♥': 'h', '♠': 's', '\ufe0e': None, '\ufe0f': None})
QUIT = ('q', 'quit')
PASS = ('p', 'pass')
SECONDS = 5  # for the grades of a game
PATIENCE = 1.0  # seconds without progress


class Phrases:
    """The page's English sentences of a game, in plain letters.

    Args:
        game: whose sentences.
    """

    def __init__(self, game: PlayedGame) -> None:
        text = (game.static / 'strings' / 'en.json').read_text(encoding='utf-8')
        self._texts: Mapping[str, str] = json.loads(text.replace('\u2019', "'"))

    def __call__(self, key: str, **values: object) -> str:
        """Return the sentence of a key with some values."""
        return self._texts[key].format(**values)

    def of_preset(self, name: str | None) -> str:
        """Return the sentence on rules of a name; '' if they have none."""
        return self._texts.get(f'rules.{name}', '')


class Board(ABC):
    """Entries, positions, moves and advice of a game; `legal` are the texts of legal moves."""

    game: ClassVar[PlayedGame]
    payoffs: ClassVar[str]
    """Name of the payoffs."""
    grades: ClassVar[str]
    """Name of what rollouts confirm."""
    mistakes: ClassVar[str]
    """Name of the confirmed moves that are listed, with {} for the agent that judges them."""
    no_mistakes: ClassVar[str]
    """Name of what a person's game lacks who made no such move."""
    levels: ClassVar[Mapping[str, str]] = {}
    """Names of the levels, by agent."""

    @cached_property
    def phrases(self) -> Phrases:
        """The sentences of the game."""
        return Phrases(self.game)

    def introduction(self, rules: Any, names: Iterable[str], style: Style) -> Iterator[str]:
        """Return the first lines of a session: the aim, the rules in force, and the others by their agents' names."""
        yield f' {self.game.title}. {next(iter(self.rule_lines(rules, style)))}'
        about = self.phrases.of_preset(rules.name)
        yield f' Rules: {rules.title}. {about}{"." * bool(about)}'
        labels = [f'level {self.levels[name]}' if name in self.levels else name for name in dict.fromkeys(names)]
        yield f' The others: {", ".join(labels)}. Enter ? for help, and rules for all rules.'

    @abstractmethod
    def rule_lines(self, rules: Any, style: Style) -> Iterable[str]:
        """Return the rules in sentences, the aim first."""

    def find(self, entry: str, legal: Sequence[str]) -> int | None:
        """Return the index of the legal move that a lower-case entry means, or None; '#4' is number 4."""
        if NUMBER.fullmatch(entry):
            number = int(entry[1:])
            return number if number < len(legal) else None
        return self.find_move(entry, legal)

    @abstractmethod
    def find_move(self, entry: str, legal: Sequence[str]) -> int | None:
        """Return the index of the legal move that an entry without a number means, or None."""

    def explain(self, entry: str, state: State) -> str:
        """Return why an entry is not a legal move."""
        if entry.startswith('#'):
            return f'There is no action {entry}: choose from #0 to #{len(state["raw_legal_actions"]) - 1}.'
        return self.explain_move(entry, state['raw_obs']) if entry else 'Nothing entered.'

    @abstractmethod
    def explain_move(self, entry: str, seen: Json) -> str:
        """Return why an entry without a number is not a legal move, given the raw observation."""

    @abstractmethod
    def position(self, record: Any, state: State, style: Style) -> Iterable[str]:
        """Return the lines of a position as seen by the seat to move, given its record."""

    def legal_lines(self, state: State, style: Style) -> Iterable[str]:
        """Return the lines of the legal moves, if `position` lacks them."""
        return ()

    def move_text(self, move: str, style: Style) -> str:
        """Write a move."""
        return style.cards(move)

    def numbered(self, move: str, legal: Sequence[str], style: Style, alike: Sequence[str] = ()) -> str:
        """Write a move with its number, and how many others are like it."""
        return f'#{legal.index(move)} {self.move_text(move, style)}{f" (+{len(alike)})" if alike else ""}'

    @abstractmethod
    def value_text(self, judged: Any) -> str:
        """Write the value of a judged move."""

    def hint(self, advice: Any, style: Style) -> str:
        """Return the line of the three best moves."""
        return style.line(' ', [self._judged(move, style) for move in advice.moves[:3]], '   ')

    @abstractmethod
    def values(self, advisor: Any, advice: Any, legal: Sequence[str], style: Style) -> Iterable[str]:
        """Return the lines of the values of the moves."""

    @abstractmethod
    def rollouts(self, look: Any, legal: Sequence[str], style: Style) -> Iterable[str]:
        """Return the lines of a rollout analysis."""

    def outcome_lines(self, moves: Iterable[Any], text: str, legal: Sequence[str], style: Style) -> list[str]:
        """Write the results of moves in rollouts, the best first, and a text on the assumptions about hidden cards."""
        rows = [(self.numbered(one.move, legal, style), *self.outcome(one), *_behind(one.behind)) for one in moves]
        return [*style.columns(rows), f' {text}']

    @abstractmethod
    def outcome(self, estimate: Any) -> Sequence[str]:
        """Write the mean results of a move in rollouts."""

    def review(self, reviewed: Reviewed[Any], style: Style) -> str:
        """Return the line of a reviewed move: the move, and the best one."""
        parts = [self._judged(reviewed.chosen, style, reviewed.move), f'best {self._judged(reviewed.best, style)}']
        return style.line(f' move {reviewed.ply + 1}: ', [*parts, *self.notes(reviewed)])

    def _judged(self, judged: MoveAdvice, style: Style, move: str = '') -> str:
        return f'{self.move_text(move or judged.move, style)} {self.value_text(judged)}'

    def notes(self, reviewed: Any) -> Sequence[str]:
        """Return what else the line of a reviewed move has."""
        return ()

    @abstractmethod
    def moves(
        self, record: Any, names: Sequence[str], reviewed: Mapping[int, Any], checked: Checked, style: Style
    ) -> Iterable[str]:
        """Return the lines of a record's hands and moves, given the seats' names, reviewed moves by ply, and grades."""

    @abstractmethod
    def ending(self, record: Any) -> Sequence[str]:
        """Return how a game of a list ended."""

    def caveats(self, record: Any, name: str) -> Iterable[str]:
        """Return what the advisor of a name does not know of a position."""
        return ()

    def confirm(
        self, advisor: Advisor, record: Any, reviewed: Sequence[Reviewed[Any]], seconds: float = SECONDS
    ) -> Checked:
        """Check grades by rollouts, see `check_grades`; a terminal shows progress after a second."""
        began, shown = monotonic(), ''

        def show(done: int) -> None:
            nonlocal shown
            if sys.stderr.isatty() and monotonic() - began > PATIENCE:
                shown = f' Rollouts check move {done + 1} of {len(reviewed)} '
                sys.stderr.write(f'\r{shown}')  # a carriage return flushes

        try:
            return check_grades(advisor, record, reviewed, self.game.open_position, seconds, show)
        finally:
            if shown:
                sys.stderr.write(f'\r{" " * len(shown)}\r')

    def checked_lines(self, checked: Checked, seconds: float = SECONDS) -> list[str]:
        """Return a sentence on the grades that rollouts confirm; none if there are no grades."""
        confirmed, refuted, unchecked = map(len, checked[:3])
        if not confirmed + refuted + unchecked:
            return []
        withdrawn = ' and withdraw the others' * bool(refuted)
        late = f'; {unchecked} were not checked within {seconds:g} s' * bool(unchecked)
        return [f' Rollouts confirm {confirmed} of {confirmed + refuted} {self.grades}{withdrawn}{late}.']


def _behind(loss: Estimate) -> list[str]:
    """Write the loss of a move against the best one, which has none."""
    if loss == (0, 0):
        return []
    unclear = '' if loss.mean > loss.margin else ', too close to call'
    return [f'{loss:.1f} less{unclear}']


def tidy(card: str) -> str:
    """Write a card of an entry as records do: 'th' as 'Th'."""
    return card[0].upper() + card[1:]
