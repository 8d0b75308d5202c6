"""Terminal sessions: a person plays games against agents."""

from collections.abc import Iterator

from typing_extensions import override

from rlcard_big2.notation import split_tricks
from rlcard_play.big2.advice import Advisor
from rlcard_play.big2.terminal.board import (
    BOARD,
    move_lines,
    moves_text,
    names_of,
    seats_line,
    table_line,
    trick_of,
    warning_lines,
)
from rlcard_play.terminal import session
from rlcard_play.terminal.board import ME
from rlcard_play.terminal.session import Command

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
    'rules': 'the rules in force',
    'q': 'quit',
}


class Session(session.Session):
    """Games of one person against the other seats' agents."""

    BOARD = BOARD
    HELP = HELP
    advisor: Advisor

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seats."""
        return names_of(self.game.rules.players)

    @override
    def _make_commands(self) -> dict[str, Command]:
        return super()._make_commands() | {'more': self._more}

    @override
    def _rewind(self, ply: int) -> None:
        self._num_shown = max(0, ply - len(self.names) + 1)

    @override
    def _show(self) -> None:
        seen, style = self.game.state['raw_obs'], self.style
        left: list[int] = seen['num_cards_left']
        self._say('\n' + seats_line(left, self.agents, ME, trick_of(self.game.state), style))
        self._show_moves()
        self._say(table_line(seen, self.names, style), *warning_lines(left, self.names))
        self._say(style.hand(' Your hand: ', seen['current_hand']))
        self._say(*move_lines(self.game.legal, self.game.rules, style, folded=True))

    @override
    def _show_moves(self) -> None:
        moves = moves_text(self.game.trace, self.names, self.style)[self._num_shown :]
        if moves:
            self._say(self.style.line(' ', moves, ' | '))
        self._num_shown = self.game.ply

    @override
    def _log(self) -> None:
        if not self.game.trace:
            self._say(' No moves yet.')
        for number, trick in enumerate(split_tricks(self.game.trace, len(self.names)), 1):
            moves = [f'{self.names[seat]} {self.style.cards(text)}' for seat, text in trick]
            self._say(self.style.line(f' {number:2} ', moves, ' | '))

    @override
    def _cards_seen(self) -> None:
        seen = self.game.state['raw_obs']
        for seat, name in enumerate(self.names):
            self._say(self.style.hand(f' {name} played: ', seen['played_cards'][seat] or 'nothing'))
        self._say(self.style.hand(' still out: ', seen['others_hand']))

    def _more(self) -> None:
        self._say(*move_lines(self.game.legal, self.game.rules, self.style, folded=False))

    @override
    def _result(self) -> Iterator[str]:
        payoffs: list[int] = self.game.env.get_payoffs().tolist()
        winner = self.game.rules.winner_of(payoffs)
        yield ' You have won.' if winner == ME else f' {self.names[winner]} has won.'
        named = zip(self.names[1:], self.agents[1:], strict=True)
        names = [self.names[ME], *(f'{name} {agent}' for name, agent in named)]
        width = max(map(len, names))
        for seat, (name, player) in enumerate(zip(names, self.game.env.game.players, strict=True)):
            yield self.style.hand(f' {name:<{width}} {payoffs[seat]:+3d}  ', player.current_hand)
