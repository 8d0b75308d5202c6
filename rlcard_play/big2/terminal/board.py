"""Big 2 as text in the terminal: entries, positions, moves and their values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from typing_extensions import override

from rlcard_big2.actions import PASS as PASS_MOVE
from rlcard_big2.cards import format_cards, parse_card
from rlcard_big2.engine.observation import opponents_of
from rlcard_big2.notation import KIND_NAMES, Trace, kind_name, split_tricks
from rlcard_big2.records import Record
from rlcard_big2.rules import Rules
from rlcard_big2.search.analysis import MoveEstimate, RolloutAnalysis
from rlcard_kit.errors import CardError
from rlcard_play.big2.advice import CLOSE, LEVELS, Advice, MoveAdvice
from rlcard_play.big2.played import GAME
from rlcard_play.big2.review import ReviewedMove
from rlcard_play.big2.terminal.rules import rule_lines
from rlcard_play.big2.views import trick_number
from rlcard_play.study.protocols import Json, State
from rlcard_play.study.review import Checked
from rlcard_play.terminal import board
from rlcard_play.terminal.board import LETTERS, ME, PASS, tidy
from rlcard_play.terminal.reports import seat_names
from rlcard_play.terminal.style import Style

RUN_OF_CARDS = re.compile(r'([2-9tjqka][dchs]){2,}')
SINGULAR = dict(zip(KIND_NAMES, (
    PASS_MOVE, 'single', 'pair', 'triple', 'two pair', 'four', 'straight', 'flush', 'full house',
    'four with a kicker', 'straight flush',
), strict=True))  # fmt: skip


class Board(board.Board):
    """Entries, positions, moves and advice of Big 2."""

    game = GAME
    payoffs = 'payoffs'
    grades = 'grades'
    mistakes = 'costliest mistakes'
    no_mistakes = 'clear mistakes'
    levels: ClassVar = {agent: level for level, agent in LEVELS.items()}

    @override
    def rule_lines(self, rules: Rules, style: Style) -> Iterator[str]:
        return rule_lines(rules, self.phrases, style)

    @override
    def find_move(self, entry: str, legal: Sequence[str]) -> int | None:
        words = ['pass'] if entry in PASS else sorted(split_cards(entry))
        return next((i for i, text in enumerate(legal) if sorted(text.lower().split()) == words), None)

    @override
    def explain_move(self, entry: str, seen: Json) -> str:
        if entry in PASS:
            return 'You cannot pass: you lead.'
        words = split_cards(entry)
        for word in words:
            try:
                parse_card(word)
            except CardError:
                return f'{word!r} is not a card: enter rank and suit, such as 3d, or an action as #0.'
        missing = [word for word in words if word not in seen['current_hand'].lower().split()]
        if missing:
            return f'You do not hold {" ".join(map(tidy, missing))}.'
        beat = seen['hand_to_beat']
        return f'{" ".join(map(tidy, words))} cannot be played {"on " + beat if beat else "here"}.'

    @override
    def position(self, record: Record, state: State, style: Style) -> Iterator[str]:
        seat = record.player
        players = record.rules.players
        names = [names_of(players)[(other - seat) % players] for other in range(players)]
        yield seats_line(record.left, seat_names(record), seat, trick_of(state), style)
        if record.trace:
            last = split_tricks(record.trace, players)[-1]
            yield style.line(' ', [f'{names[mover]} {style.cards(text)}' for mover, text in last], ' | ')
        yield table_line(state['raw_obs'], names, style)
        yield style.hand(' Your hand: ', state['raw_obs']['current_hand'])

    @override
    def legal_lines(self, state: State, style: Style) -> list[str]:
        return move_lines(state['raw_legal_actions'], state['raw_obs']['rules'], style, folded=True)

    @override
    def value_text(self, judged: MoveAdvice) -> str:
        """Write the win probability and the cards of a move, or its grade if values are not calibrated."""
        return judged.grade if judged.win is None else f'{100 * judged.win:.0f} % {judged.cards:+.1f}'

    @override
    def values(self, advisor: Any, advice: Advice, legal: Sequence[str], style: Style) -> list[str]:
        rows = []
        for move in advice.moves:
            value = '' if move.win is None else f'{self.value_text(move)}  '
            rows.append((self.numbered(move.move, legal, style, move.alike), f'{value}{move.mark or move.grade}'))
        note = f' Win chance and cards: averages over similar positions when {advisor.name} played itself.'
        return [*style.columns(rows), *([] if advice.moves[0].win is None else [note])]

    @override
    def rollouts(self, look: RolloutAnalysis, legal: Sequence[str], style: Style) -> list[str]:
        text = f'Rollouts of {look.deals:,} deal{"s" * (look.deals != 1)}: games won, and cards. {look.note}'
        return self.outcome_lines(look.moves, text, legal, style)

    @override
    def outcome(self, estimate: MoveEstimate) -> list[str]:
        return [f'{100 * estimate.win:3.0f} % {estimate.payoff:+.1f}']

    @override
    def notes(self, reviewed: ReviewedMove) -> list[str]:
        return [reviewed.mark] if reviewed.mark else []

    @override
    def moves(
        self,
        record: Record,
        names: Sequence[str],
        reviewed: Mapping[int, ReviewedMove],
        checked: Checked,
        style: Style,
    ) -> Iterator[str]:
        for name, hand in zip(names, record.hands, strict=True):
            yield style.hand(f' {name}: ', 'hidden' if hand is None else format_cards(hand, record.rules.suits))
        moves = enumerate(record.trace)
        for number, trick in enumerate(split_tricks(record.trace, record.rules.players), 1):
            yield f'\n trick {number}'
            for ply, (seat, text) in islice(moves, len(trick)):
                parts = [f'{names[seat]} {style.cards(text)}', *self._value_parts(reviewed.get(ply), checked, style)]
                yield style.line(f' {ply + 1:3}  ', parts)

    def _value_parts(self, reviewed: ReviewedMove | None, checked: Checked, style: Style) -> list[str]:
        """Write the value of a move, and the best move if it is clearly better; no mark that rollouts refute."""
        if reviewed is None:
            return []
        chosen, best = reviewed.chosen, reviewed.best
        if chosen.gap < CLOSE:
            return [self.value_text(chosen)]
        note = ', unchecked' * (reviewed.ply in checked.unchecked)
        mark = [reviewed.mark + note] if reviewed.mark and reviewed.ply not in checked.refuted else []
        return [self.value_text(chosen), f'best {style.cards(best.move)} {self.value_text(best)}', *mark]

    @override
    def ending(self, record: Record) -> list[str]:
        return ['not finished' if record.winner is None else f'{len(record.moves)} moves']

    @override
    def caveats(self, record: Record, name: str) -> list[str]:
        return [] if record.before is None else [f' {name} does not know the moves before this position.']


BOARD = Board()


def split_cards(entry: str) -> list[str]:
    """Split an entry into cards; '10h' is 'th', suits may be symbols, and spaces between cards are optional."""
    words = entry.translate(LETTERS).replace('10', 't').split()
    parts = [re.findall('..', word) if RUN_OF_CARDS.fullmatch(word) else [word] for word in words]
    return [card for part in parts for card in part]


def trick_of(state: State) -> int:
    """Return the number of the current trick in a state, from 1, counting only known moves."""
    seen = state['raw_obs']
    return trick_number(state['action_record'], not seen['hand_to_beat'], seen['rules'].players)


def names_of(players: int) -> tuple[str, ...]:
    """Return the names of the seats from the person's on, in the order of play."""
    return ('you', *opponents_of(players))


def moves_text(trace: Trace, names: Sequence[str], style: Style) -> list[str]:
    """Write the moves of a game with the names of the players; the first of a trick leads."""
    return [
        f'{names[seat]} {"" if i else "lead " if names[seat] == "you" else "leads "}{style.cards(text)}'
        for trick in split_tricks(trace, len(names))
        for i, (seat, text) in enumerate(trick)
    ]


def seats_line(left: Sequence[int], agents: Sequence[str], viewer: int, number: int, style: Style) -> str:
    """Write the other seats with their numbers of cards, and the number of the trick."""
    seats = [(viewer + i) % len(left) for i in range(1, len(left))]
    parts = [
        f'{name} {agents[seat]} {left[seat] or "out"}{" !" if left[seat] == 1 else ""}'
        for name, seat in zip(opponents_of(len(left)), seats, strict=True)
    ]
    return style.line(' ', [*parts, f'trick {number}'], '   ')


def table_line(seen: Json, names: Sequence[str], style: Style) -> str:
    """Write the combination to beat, and its player."""
    table, rules = seen['hand_to_beat'], seen['rules']
    if not table:
        return ' Nothing to beat: you lead.'
    passes = int(seen['packed'][0]['passes'])
    by = names[(seen['current_player'] - 1 - passes) % len(names)]
    since = f' ({passes} pass{"es" * (passes > 1)} since)' if passes else ''
    return style.line(' To beat: ', [f'{SINGULAR[kind_name(table, rules)]} {style.cards(table)} by {by}{since}'])


def warning_lines(left: Sequence[int], names: Sequence[str]) -> list[str]:
    """Write a warning if opponents have one card left."""
    close = [names[seat] for seat, count in enumerate(left) if count == 1 and seat != ME]
    who = ' and '.join(filter(None, (', '.join(close[:-1]), *close[-1:])))
    return [f' Careful: {who} ha{"s" if len(close) == 1 else "ve"} one card left.'] if close else []


def move_lines(legal: Sequence[str], rules: Rules, style: Style, folded: bool) -> list[str]:
    """Write the legal moves with their numbers, grouped by kind.

    Args:
        legal: texts of the moves; the numbers are indices into it.
        rules: of the game.
        style: of the terminal.
        folded: write five-card moves of the same ranks once.
    """
    kinds: dict[str, list[str]] = {name: [] for name in (*KIND_NAMES[1:], PASS_MOVE)}
    for number, (text, more) in (fold(legal) if folded else {i: (text, 0) for i, text in enumerate(legal)}).items():
        kinds[kind_name(text, rules)].append(f'#{number} {style.cards(text)}{f" (+{more})" if more else ""}')
    return [style.line(f' {name}: ', parts, '  ') for name, parts in kinds.items() if parts]


def fold(legal: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Return the first legal move of each set of ranks by its number, with the count of the others.

    Only moves of more than two cards are folded, because the suit of a single card or a pair often matters.
    """
    numbers: dict[tuple[object, ...], list[int]] = {}
    for i, text in enumerate(legal):
        cards = text.split()
        key = tuple(card[0] for card in cards) if len(cards) > 2 else (i,)
        numbers.setdefault((len(cards), *key), []).append(i)
    return {same[0]: (legal[same[0]], len(same) - 1) for same in numbers.values()}
