"""Terminal sessions: a person plays games against agents."""

from collections.abc import Callable
from pathlib import Path

from rlcard_big2 import records
from rlcard_big2.study.advice import Advisor
from rlcard_big2.study.game import SeatedGame
from rlcard_big2.study.review import costliest, review
from rlcard_big2.study.views import PASSES_PER_TRICK, split_tricks
from rlcard_big2.terminal.formatting import (
    ME,
    OTHERS,
    Style,
    hand_line,
    hint_line,
    move_lines,
    moves_text,
    review_text,
    rollout_lines,
    seats_line,
    table_line,
    trick_of,
    value_lines,
    warning_lines,
)
from rlcard_big2.terminal.move_input import QUIT, explain, find_action

NAMES = ('you', *OTHERS)
PROMPT = '> '
AIDS = ('h', 'v', 'd', 'u')
STRICT = ' This game is strict: no advice, no take-backs.'
HELP = {
    'cards': 'play them: 3d, Th Ts or tdtc, in any order',
    '#4': 'play number 4 of the list',
    'p': 'pass',
    'more': 'list all moves; (+2) stands for two more moves of the same ranks',
    'h': 'hint: the three best moves',
    'v': 'values of all moves',
    'd': 'deep analysis: rollouts of the best moves; takes seconds',
    'u': 'take back your last move',
    'l': 'moves of this game, by trick',
    's': 'cards played, and cards still out',
    'q': 'quit',
}
NOTE = 'Win chance and cards: averages over similar positions when {} played itself.'


class LeftError(Exception):
    """Raised when the person quits."""


class Session:
    """Games of one person against three agents.

    Args:
        game: the players and their current game.
        advisor: gives advice, and reviews the person's moves after a game.
        style: of the terminal.
        read: shows a prompt and returns one line, as `input` does.
        write: shows one text, as `print` does.
        file: for records of the games; None keeps none.
        strict: no advice and no take-backs during a game.
    """

    def __init__(
        self,
        game: SeatedGame,
        advisor: Advisor,
        style: Style,
        *,
        read: Callable[[str], str] = input,
        write: Callable[[str], object] = print,
        file: Path | None = None,
        strict: bool = False,
    ) -> None:
        self.game = game
        self.agents = [seat.name for seat in game.seats if seat is not None]
        self.advisor = advisor
        self.style = style
        self.file = file
        self.strict = strict
        self._read = read
        self._write = write
        self._num_shown = 0  # moves the person has seen
        self._saved = True  # whether the game is in the file
        self._commands: dict[str, Callable[[], bool | None]] = {
            '?': self._help,
            'h': self._hint,
            'v': self._values,
            'd': self._rollouts,
            'u': self._take_back,
            'l': self._log,
            's': self._cards_seen,
            'more': self._more,
        }

    def run(self) -> None:
        """Play games until the person stops; LeftError if that is in mid-game."""
        while True:
            self._play()
            self._end()
            if self._ask('Again? (y/n) ') not in ('', 'y', 'yes'):
                return
            self.game.deal()

    def save(self) -> None:
        """Append the game to the file, once."""
        if self.file is None or self._saved or not self.game.trace:
            return
        records.write(self.file, self.game.record())
        self._saved = True
        self._say(f'\n saved to {self.file}')

    def _play(self) -> None:
        self._num_shown, self._saved = 0, False
        while not self.game.is_over:
            if self.game.player != ME:
                self.game.play_agent()
            elif self.game.must_pass:
                self.game.play(self.game.legal[0])
            else:
                self._show()
                while not self._answer(self._ask(PROMPT)):
                    pass

    def _answer(self, entry: str) -> bool:
        """Execute an entry; return whether the turn is over."""
        legal = self.game.legal
        index = find_action(entry, legal)
        if index is not None:
            self.game.play(legal[index])
            return True
        if self.strict and entry in AIDS:
            self._say(STRICT)
        elif entry in self._commands:
            return bool(self._commands[entry]())
        else:
            self._say(f' {explain(entry, self.game.state["raw_obs"], legal)} Enter ? for help.')
        return False

    def _take_back(self) -> bool:
        """Take back the person's last choice; return whether there was one."""
        if not self.game.take_back(ME):
            self._say(' Nothing to take back.')
            return False
        self._num_shown = max(0, self.game.ply - PASSES_PER_TRICK)
        return True

    # Output

    def _show(self) -> None:
        seen, style = self.game.state['raw_obs'], self.style
        left: list[int] = seen['num_cards_left']
        self._say('\n' + seats_line(left, self.agents, ME, trick_of(self.game.state), style))
        self._show_moves()
        self._say(table_line(seen, NAMES, style), *warning_lines(left, NAMES))
        self._say(hand_line(' Your hand: ', seen['current_hand'], style))
        self._say(*move_lines(self.game.legal, self.game.rules, style, folded=True))

    def _show_moves(self) -> None:
        """Write the moves since the last time."""
        moves = moves_text(self.game.trace, NAMES, self.style)[self._num_shown :]
        if moves:
            self._say(self.style.line(' ', moves, ' | '))
        self._num_shown = self.game.ply

    def _hint(self) -> None:
        self.game.note_advice()
        self._say(hint_line(self.advisor.advise(self.game.state), self.style))

    def _values(self) -> None:
        self.game.note_advice()
        self._say(*value_lines(self.advisor.advise(self.game.state), self.game.legal, self.style))
        if self.advisor.calibration(self.game.rules) is not None:
            self._say(self.style.line(' ', NOTE.format(self.advisor.name).split(), ' '))

    def _rollouts(self) -> None:
        self.game.note_advice()
        self._say(*rollout_lines(self.advisor.look(self.game.state), self.game.legal, self.style))

    def _log(self) -> None:
        if not self.game.trace:
            self._say(' No moves yet.')
        for number, trick in enumerate(split_tricks(self.game.trace), 1):
            moves = [f'{NAMES[seat]} {self.style.cards(text)}' for seat, text in trick]
            self._say(self.style.line(f' {number:2} ', moves, ' | '))

    def _cards_seen(self) -> None:
        seen = self.game.state['raw_obs']
        for seat, name in enumerate(NAMES):
            self._say(hand_line(f' {name} played: ', seen['played_cards'][seat] or 'nothing', self.style))
        self._say(hand_line(' still out: ', seen['others_hand'], self.style))

    def _help(self) -> None:
        self._say(*(self.style.line(f' {entry:<5}  ', meaning.split(), ' ') for entry, meaning in HELP.items()))

    def _more(self) -> None:
        self._say(*move_lines(self.game.legal, self.game.rules, self.style, folded=False))

    # End of a game

    def _end(self) -> None:
        self._say('')
        self._show_moves()
        payoffs: list[int] = self.game.env.get_payoffs().tolist()
        winner = payoffs.index(max(payoffs))
        self._say(' You have won.' if winner == ME else f' {NAMES[winner]} has won.')
        width = max(len(f'{name} {agent}') for name, agent in zip(OTHERS, self.agents[1:], strict=True))
        for seat, player in enumerate(self.game.env.game.players):
            name = NAMES[seat] if seat == ME else f'{NAMES[seat]} {self.agents[seat]}'
            self._say(hand_line(f' {name:<{width}} {payoffs[seat]:+3d}  ', player.current_hand, self.style))
        worst = costliest(one for one in review(self.game.record(), self.advisor) if one.seat == ME)
        self._say(' Your costliest mistakes:' if worst else ' No clear mistakes.')
        self._say(*(review_text(one, self.style) for one in worst))
        self.save()

    # Input and output

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
