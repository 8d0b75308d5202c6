"""Games of a person at a terminal, a line at a time."""

from collections.abc import Callable, Mapping
from pathlib import Path

from rlcard_big2 import records
from rlcard_big2.study.advice import Advisor
from rlcard_big2.study.game import Table
from rlcard_big2.study.review import dearest, decisions
from rlcard_big2.terminal.formatting import (
    ME,
    OTHERS,
    TRICK,
    Style,
    choice_text,
    choices,
    hand_line,
    hint_line,
    look_lines,
    moves_text,
    seats_line,
    table_line,
    trick_number,
    tricks,
    value_lines,
    warning_line,
)
from rlcard_big2.terminal.move_input import QUIT, explain, find_action

NAMES = ('you', *OTHERS)
PROMPT = '> '
AIDS = ('h', 'v', 'd', 'u')
STRICT = ' This game is strict: there is no advice, and no move is taken back.'
HELP = {
    'cards': 'play them: 3d, Th Ts or tdtc, in any order',
    '#4': 'play number 4 of the list',
    'p': 'pass',
    'more': 'all moves; (+2) stands for two more of the same ranks',
    'h': 'a hint: the three best moves',
    'v': 'what every move is worth',
    'd': 'a deep look: the best moves, played on in many deals; takes seconds',
    'u': 'take your last choice back',
    'l': 'the moves of this game so far, trick by trick',
    's': 'the cards played, and those still out',
    'q': 'leave',
}
NOTE = 'Win chance and cards are what came of such positions when {} played itself.'


class LeftError(Exception):
    """Raised when the person leaves."""


class Conversation:
    """Asks a person at a terminal, and says things.

    Args:
        style: of the terminal.
        read: shows a prompt and returns one line, as `input` does.
        write: shows one text, as `print` does.
    """

    def __init__(self, style: Style, read: Callable[[str], str], write: Callable[[str], object]) -> None:
        self.style = style
        self._read = read
        self._write = write

    def _ask(self, prompt: str) -> str:
        """Return what was entered; LeftError if the person leaves."""
        try:
            entry = self._read(prompt).strip().lower()
        except EOFError:
            self._say('')
            raise LeftError from None
        if entry in QUIT:
            raise LeftError
        return entry

    def _say(self, text: str | None) -> None:
        if text is not None:
            self._write(self.style.paint(self.style.fit(text)))

    def _explain(self, entries: Mapping[str, str]) -> None:
        """Say what may be entered, by what it means."""
        for entry, meaning in entries.items():
            self._say(self.style.line(f' {entry:<5}  ', meaning.split(), ' '))


class Session(Conversation):
    """Plays games with a person.

    Args:
        table: where they sit.
        advisor: gives advice, and judges the choices after a game.
        style: of the terminal.
        read: shows a prompt and returns one line, as `input` does.
        write: shows one text, as `print` does.
        file: that receives records of the games.
        strict: gives no advice during a game, and takes no move back.
    """

    def __init__(
        self,
        table: Table,
        advisor: Advisor,
        style: Style,
        *,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
        file: Path | None = None,
        strict: bool = False,
    ) -> None:
        super().__init__(style, read, write)
        self.table = table
        self.agents = [seat.name for seat in table.seats if seat is not None]
        self.advisor = advisor
        self.file = file
        self.strict = strict
        self._shown = 0  # moves that the person has seen
        self._kept = True  # whether the game is in the file, if there is anything to keep
        self._commands: dict[str, Callable[[], bool | None]] = {
            '?': self._help,
            'h': self._hint,
            'v': self._values,
            'd': self._look,
            'u': self._take_back,
            'l': self._log,
            's': self._seen,
            'more': self._more,
        }

    def run(self) -> None:
        """Play games until the person has had enough; LeftError if that is in the middle of one."""
        while True:
            self._play()
            self._end()
            if self._ask('Again? (y/n) ') not in ('', 'y', 'yes'):
                return
            self.table.deal()

    def keep(self) -> None:
        """Write the game to the file if it is not there yet, and say where it is."""
        if self.file is None or self._kept or not self.table.trace:
            return
        records.write(self.file, self.table.record())
        self._kept = True
        self._say(f'\n kept in {self.file}')

    def _play(self) -> None:
        self._shown, self._kept = 0, False
        while not self.table.is_over:
            if self.table.player != ME:
                self.table.let_play()
            elif self.table.must_pass:
                self.table.play(self.table.legal[0])
            else:
                self._take_turn()

    def _take_turn(self) -> None:
        """Ask until a move was made or taken back."""
        self._show()
        while not self._answer(self._ask(PROMPT)):
            pass

    def _answer(self, entry: str) -> bool:
        """Do what was entered; return whether the turn is over."""
        legal = self.table.legal
        index = find_action(entry, legal)
        if index is not None:
            self.table.play(legal[index])
            return True
        if self.strict and entry in AIDS:
            self._say(STRICT)
        elif entry in self._commands:
            return bool(self._commands[entry]())
        else:
            self._say(f' {explain(entry, self.table.state["raw_obs"], legal)} ? explains.')
        return False

    def _take_back(self) -> bool:
        """Take the person's last choice back; return whether there was one."""
        if not self.table.take_back(ME):
            self._say(' There is nothing to take back.')
            return False
        self._shown = max(0, self.table.ply - TRICK)
        return True

    # What is shown

    def _show(self) -> None:
        seen, style = self.table.state['raw_obs'], self.style
        left: list[int] = seen['num_cards_left']
        self._say('\n' + seats_line(left, self.agents, ME, trick_number(self.table.state), style))
        self._show_moves()
        self._say(table_line(seen, NAMES, style))
        self._say(warning_line(left, NAMES))
        self._say(hand_line(' Your hand: ', seen['current_hand'], style))
        for line in choices(self.table.legal, self.table.rules, style, folded=True):
            self._say(line)

    def _show_moves(self) -> None:
        """Write the moves that the person has not seen yet."""
        moves = moves_text(self.table.trace, NAMES, self.style)[self._shown :]
        if moves:
            self._say(self.style.line(' ', moves, ' | '))
        self._shown = self.table.ply

    def _hint(self) -> None:
        self.table.note_advice()
        self._say(hint_line(self.advisor.advise(self.table.state), self.style))

    def _values(self) -> None:
        self.table.note_advice()
        for line in value_lines(self.advisor.advise(self.table.state), self.table.legal, self.style):
            self._say(line)
        if self.advisor.calibration(self.table.rules) is not None:
            self._say(self.style.line(' ', NOTE.format(self.advisor.name).split(), ' '))

    def _look(self) -> None:
        self.table.note_advice()
        for line in look_lines(self.advisor.look(self.table.state), self.table.legal, self.style):
            self._say(line)

    def _log(self) -> None:
        if not self.table.trace:
            self._say(' No move was made yet.')
        for number, trick in enumerate(tricks(self.table.trace), 1):
            moves = [f'{NAMES[seat]} {self.style.cards(text)}' for seat, text in trick]
            self._say(self.style.line(f' {number:2} ', moves, ' | '))

    def _seen(self) -> None:
        seen = self.table.state['raw_obs']
        for seat, name in enumerate(NAMES):
            self._say(hand_line(f' {name} played: ', seen['played_cards'][seat] or 'nothing', self.style))
        self._say(hand_line(' still out: ', seen['others_hand'], self.style))

    def _help(self) -> None:
        self._explain(HELP)

    def _more(self) -> None:
        for line in choices(self.table.legal, self.table.rules, self.style, folded=False):
            self._say(line)

    # The end of a game

    def _end(self) -> None:
        self._say('')
        self._show_moves()
        payoffs: list[int] = self.table.env.get_payoffs().tolist()
        winner = payoffs.index(max(payoffs))
        self._say(' You have won.' if winner == ME else f' {NAMES[winner]} has won.')
        width = max(len(f'{name} {agent}') for name, agent in zip(OTHERS, self.agents[1:], strict=True))
        for seat, player in enumerate(self.table.env.game.players):
            name = NAMES[seat] if seat == ME else f'{NAMES[seat]} {self.agents[seat]}'
            self._say(hand_line(f' {name:<{width}} {payoffs[seat]:+3d}  ', player.current_hand, self.style))
        self._judge()
        self.keep()

    def _judge(self) -> None:
        """Write the dearest choices of the person."""
        own = (one for one in decisions(self.table.record(), self.advisor) if one.seat == ME)
        worst = dearest(own)
        self._say(
            ' Your dearest choices:'
            if worst
            else f" None of your choices was clearly worse than {self.advisor.name}'s."
        )
        for choice in worst:
            self._say(choice_text(choice, self.style))
