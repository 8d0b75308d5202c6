"""How a table looks in a terminal: suits as symbols and in colour where it has them, in plain text elsewhere."""

import os
import re
import shutil
from collections.abc import Sequence
from math import isfinite
from typing import Any, NamedTuple, TextIO

from rlcard_big2.actions import PASS
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.notation import KIND_NAMES, Trace, kind_name, pretty, wrap
from rlcard_big2.rules import Rules
from rlcard_big2.search.analysis import Look, LookedMove
from rlcard_big2.study.advice import Advice, MoveAdvice
from rlcard_big2.study.review import Decision

ME = 0  # the seat of the person at this terminal
OTHERS = ('next', 'across', 'previous')
NARROWEST, WIDEST = 40, 200  # columns
TRICK = 3  # passes end one
SUIT_COLOURS = {'♦': 34, '♣': 32, '♥': 31, '♠': 1}  # blue, green, red, and bold
CARD = re.compile(r'(?:10|[3-9JQKA2])([♦♣♥♠])')
ONE_OF = dict(zip(KIND_NAMES, (
    PASS, 'single', 'pair', 'triple', 'two pair', 'four', 'straight', 'flush', 'full house', 'four with a kicker',
    'straight flush',
), strict=True))  # fmt: skip


class Style(NamedTuple):
    """What a terminal can show."""

    width: int = 100
    symbols: bool = False
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> 'Style':
        """Return the style of a stream: plain if it is not a terminal, or a dumb one; no colour with NO_COLOR."""
        width = min(max(shutil.get_terminal_size((100, 24)).columns, NARROWEST), WIDEST)
        able = stream.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'
        symbols = able and _can_write(stream, ''.join(SUIT_COLOURS))
        return cls(width, symbols, symbols and not os.environ.get('NO_COLOR'))

    def cards(self, text: str) -> str:
        """Write a move's cards, or a hand's."""
        return pretty(text) if self.symbols else text

    def paint(self, text: str) -> str:
        """Colour the cards in a text."""
        if not self.colour:
            return text
        return CARD.sub(lambda card: f'\x1b[{SUIT_COLOURS[card[1]]}m{card[0]}\x1b[0m', text)

    def fit(self, text: str) -> str:
        """Break the lines that are wider than the terminal, between words; names cannot control it."""
        lines = [''.join(letter if letter.isprintable() else '?' for letter in line) for line in text.split('\n')]
        return '\n'.join(line if len(line) <= self.width else self._broken(line) for line in lines)

    def _broken(self, line: str) -> str:
        words = line.lstrip()
        return wrap(' ' * (len(line) - len(words)), words.split(' '), self.width, ' ')

    def line(self, label: str, parts: Sequence[str], separator: str = ', ') -> str:
        """Write parts after a label, broken between them to the width."""
        return wrap(label, parts, self.width, separator)


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or 'ascii')
    except (UnicodeError, LookupError):
        return False
    return True


def tricks(trace: Trace) -> list[list[tuple[int, str]]]:
    """Split the moves of a game into tricks: three passes end one."""
    found: list[list[tuple[int, str]]] = []
    passes = TRICK
    for seat, text in trace:
        if passes == TRICK:
            found.append([])
            passes = 0
        found[-1].append((seat, text))
        passes = passes + 1 if text == PASS else 0
    return found


def trick_number(state: dict[str, Any]) -> int:
    """Return the number of the trick that a seat plays in or leads, from 1 on, as far as the moves are known."""
    return number_of(state['action_record'], leads=not state['raw_obs']['hand_to_beat'])


def number_of(trace: Trace, leads: bool) -> int:
    """Return the number of the trick after some moves, from 1 on; the seat to move leads it or plays in it."""
    return max(1, len(tricks(trace)) + leads)


def moves_text(trace: Trace, names: Sequence[str], style: Style) -> list[str]:
    """Write the moves of a game, each with who made it; the first of a trick leads."""
    return [
        f'{names[seat]} {"leads " * (i == 0)}{style.cards(text)}'
        for trick in tricks(trace)
        for i, (seat, text) in enumerate(trick)
    ]


def seats_line(left: Sequence[int], agents: Sequence[str], viewer: int, number: int, style: Style) -> str:
    """Write who sits where with how many cards, and the number of the trick."""
    seats = [(viewer + i) % NUM_PLAYERS for i in range(1, NUM_PLAYERS)]
    parts = [
        f'{name} {agents[seat]} {left[seat]}{" !" if left[seat] == 1 else ""}'
        for name, seat in zip(OTHERS, seats, strict=True)
    ]
    return style.line(' ', [*parts, f'trick {number}'], '   ')


def table_line(seen: dict[str, Any], names: Sequence[str], style: Style) -> str:
    """Write what there is to beat, and by whom it was played."""
    table, rules = seen['hand_to_beat'], seen['rules']
    if not table:
        return ' Nothing to beat: you lead.'
    passes = int(seen['packed'][0]['passes'])
    by = names[(seen['current_player'] - 1 - passes) % NUM_PLAYERS]
    since = f' ({passes} pass{"es" * (passes > 1)} since)' if passes else ''
    return style.line(' To beat: ', [f'{ONE_OF[kind_name(table, rules)]} {style.cards(table)} by {by}{since}'])


def hand_line(label: str, cards: str, style: Style) -> str:
    """Write cards after a label."""
    words = [style.cards(card) if len(card) == 2 else card for card in cards.split()]
    return style.line(label, words, ' ')


def warning_line(left: Sequence[int], names: Sequence[str]) -> str | None:
    """Say which opponents hold a single card, if any does."""
    close = [names[seat] for seat, count in enumerate(left) if count == 1 and seat != ME]
    return f' Take care: {" and ".join(close)} ha{"s" if len(close) == 1 else "ve"} one card left.' if close else None


def choices(legal: Sequence[str], rules: Rules, style: Style, folded: bool) -> list[str]:
    """Write the legal moves with their numbers, a line or more for each kind.

    Args:
        legal: texts of the moves; a number is an index in it.
        rules: of the game.
        style: of the terminal.
        folded: write moves of five cards that have the same ranks as one.
    """
    kinds: dict[str, list[str]] = {name: [] for name in (*KIND_NAMES[1:], PASS)}
    for number, (text, more) in (fold(legal) if folded else {i: (text, 0) for i, text in enumerate(legal)}).items():
        kinds[kind_name(text, rules)].append(f'#{number} {style.cards(text)}{f" (+{more})" if more else ""}')
    return [style.line(f' {name}: ', parts, '  ') for name, parts in kinds.items() if parts]


def fold(legal: Sequence[str]) -> dict[int, tuple[str, int]]:
    """Return, by its number, the first of the legal moves of each set of ranks, and how many more there are.

    Only moves of more than two cards are folded: what suit a single card or a pair has often matters.
    """
    found: dict[tuple[object, ...], list[int]] = {}
    for i, text in enumerate(legal):
        cards = text.split()
        key = tuple(card[0] for card in cards) if len(cards) > 2 else (i,)
        found.setdefault((len(cards), *key), []).append(i)
    return {same[0]: (legal[same[0]], len(same) - 1) for same in found.values()}


def worth(advice: MoveAdvice) -> str:
    """Write what a move is worth: win chance and cards, or how it stands to the best one."""
    return advice.grade if advice.win is None else f'{100 * advice.win:.0f} % {advice.cards:+.1f}'


def hint_line(advice: Advice, style: Style) -> str:
    """Write the three best moves."""
    return style.line(' ', [f'{style.cards(one.move)} {worth(one)}' for one in advice.moves[:3]], '   ')


def value_lines(advice: Advice, legal: Sequence[str], style: Style) -> list[str]:
    """Write what each move is worth, the best first."""
    rows = []
    for one in advice.moves:
        more = f' (+{len(one.alike)})' if one.alike else ''
        told = '' if one.win is None else f'{worth(one)}  '
        rows.append((f'#{legal.index(one.move)} {style.cards(one.move)}{more}', f'{told}{one.mark or one.grade}'))
    width = max(len(name) for name, _ in rows)
    return [style.line(' ', [f'{name:<{width}}', told], '  ') for name, told in rows]


def look_lines(look: Look, legal: Sequence[str], style: Style) -> list[str]:
    """Write what came of moves when they were played on, the best first, and what that does not know."""
    names = [f'#{legal.index(one.move)} {style.cards(one.move)}' for one in look.moves]
    width = max(map(len, names))
    rows = [
        style.line(' ', [f'{name:<{width}}', _outcome(one)], '  ') for name, one in zip(names, look.moves, strict=True)
    ]
    deals = f'{look.deals:,} deal{"s" * (look.deals != 1)}'
    return [*rows, style.line(' ', f'Played on in {deals}: games won, and cards. {look.note}'.split(), ' ')]


def _outcome(one: LookedMove) -> str:
    told = f'{100 * one.win:3.0f} % {one.cards:+.1f}{_margin(one.margin)}'
    if one.behind == one.behind_margin == 0:
        return told
    unclear = '' if one.behind > one.behind_margin else ', which is too close to tell'
    return f'{told}, {one.behind:.1f}{_margin(one.behind_margin)} less{unclear}'


def _margin(margin: float) -> str:
    """Write half the width of an interval, which is infinite if nothing tells it."""
    return f' ± {margin:.1f}' if isfinite(margin) else ' ± unknown'


def choice_text(choice: Decision, style: Style) -> str:
    """Write what was chosen, what would have been best, and what that is called."""
    chosen, best = (
        f'{style.cards(move)} {worth(one)}'
        for move, one in ((choice.move, choice.chosen), (choice.best.move, choice.best))
    )
    name = choice.chosen.mark
    return style.line(f' move {choice.ply + 1}: ', [chosen, f'best {best}', *([name] if name else [])])
