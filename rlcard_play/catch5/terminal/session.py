"""Terminal sessions: a person plays matches with a partner against two opponents."""

from typing_extensions import override

from rlcard_catch5.cards import format_cards
from rlcard_catch5.engine.state import NUM_TEAMS
from rlcard_play.catch5.seated import SeatedGame
from rlcard_play.catch5.terminal.board import (
    BOARD,
    NAMES,
    hand_line,
    news_lines,
    seen_lines,
    state_parts,
    suit_name,
    team_points,
)
from rlcard_play.terminal import session
from rlcard_play.terminal.board import ME
from rlcard_play.terminal.session import Command

HELP = {
    '4, p': 'bid 4, or pass',
    'c d h s': 'name the trumps, when asked; then write hint, deep and seen in full',
    '5h': 'play a card',
    '#2': 'make move number 2 of the list',
    'h, hint': 'the three best moves',
    'v': 'values of all moves',
    'd, deep': 'points and chance of the bid by rollouts; takes a second',
    'u': 'take back your last move',
    'l': 'auction and tricks of this hand',
    's, seen': 'cards played, and trumps still out',
    'rules': 'the rules in force',
    'q': 'quit',
}
TEAMS = 'Your team', 'The other team'


class Session(session.Session):
    """Matches of one person and a partner against two opponents."""

    BOARD = BOARD
    HELP = HELP
    ADVICE = ('h', 'hint', 'v', 'd', 'deep')
    game: SeatedGame

    @override
    def _make_commands(self) -> dict[str, Command]:
        return super()._make_commands() | {
            'hint': self._hint,
            'deep': self._rollouts,
            'seen': self._cards_seen,
        }

    @override
    def _rewind(self, ply: int) -> None:
        self._since = ply

    @override
    def _show(self) -> None:
        game, style, seen = self.game, self.style, self.game.state['raw_obs']
        if game.number == 1 and self._since == 0:
            self._introduce()
        match = [f'hand {game.number}', *state_parts(seen, NAMES), f'match: {team_points(game.totals, ME)}']
        self._say('\n' + style.line(' ', match, '   '))
        self._show_moves()
        self._say(
            hand_line(' Your hand: ', seen['current_hand'], style, seen['trump']), BOARD.legal_line(game.legal, style)
        )

    def _introduce(self) -> None:
        following, partner, previous = self.agents[1:]
        text = f'You and partner ({partner}) play against next ({following}) and previous ({previous}), to '
        self._say(f'\n {text}{self.game.target} points. After you come next, partner and previous.')

    @override
    def _show_moves(self) -> None:
        seen = self.game.env.game.get_state(ME)
        dealt = format_cards(int(self.game.env.game.dealt['hands'][0, ME]))
        self._say(*news_lines(seen, self._since, dealt, NAMES, self.style))
        self._since = self.game.ply

    @override
    def _log(self) -> None:
        if not self.game.trace:
            self._say(' No moves yet.')
        self._rewind(0)
        self._show_moves()

    @override
    def _cards_seen(self) -> None:
        seen = self.game.state['raw_obs']
        self._say(*(seen_lines(seen, NAMES, self.style) if seen['trump'] else [' No trumps yet.']))

    @override
    def _question(self) -> str:
        return 'Next hand? (y/n) ' if self.game.winner is None else 'Another match? (y/n) '

    @override
    def _result(self) -> list[str]:
        game, seen = self.game, self.game.env.game.get_state(ME)
        bidder, team = seen['bidder'], seen['bidder'] % NUM_TEAMS
        bid, points = seen['bids'][bidder], seen['points'][team]
        return [
            f' {NAMES[bidder].capitalize()} bid {bid} with {suit_name(seen["trump"])}: '
            f'{TEAMS[team].lower()} took {points} of 9, {"made" if points >= bid else "set"}.',
            f' Hand: {team_points(game.scores, ME)}. Match: {team_points(game.totals_after, ME)}, to {game.target}.',
            *([] if game.winner is None else [f' {TEAMS[game.winner]} has won the match.']),
        ]
