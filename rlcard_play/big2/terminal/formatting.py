"""Positions, moves and their values as text for the terminal."""

from collections.abc import Sequence

from rlcard_big2.actions import PASS
from rlcard_big2.engine.observation import opponents_of
from rlcard_big2.notation import KIND_NAMES, Trace, kind_name, split_tricks
from rlcard_big2.rules import Rules
from rlcard_big2.search.analysis import MoveEstimate, RolloutAnalysis
from rlcard_kit.text import margin_text
from rlcard_play.big2.advice import Advice, MoveAdvice
from rlcard_play.big2.review import ReviewedMove
from rlcard_play.big2.views import trick_number
from rlcard_play.study.protocols import Json, State
from rlcard_play.terminal.session import ME
from rlcard_play.terminal.style import Style

SINGULAR = dict(zip(KIND_NAMES, (
    PASS, 'single', 'pair', 'triple', 'two pair', 'four', 'straight', 'flush', 'full house', 'four with a kicker',
    'straight flush',
), strict=True))  # fmt: skip


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
    kinds: dict[str, list[str]] = {name: [] for name in (*KIND_NAMES[1:], PASS)}
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


def value_text(advice: MoveAdvice) -> str:
    """Write the value of a move: win probability and cards, or its grade if values are not calibrated."""
    return advice.grade if advice.win is None else f'{100 * advice.win:.0f} % {advice.cards:+.1f}'


def hint_line(advice: Advice, style: Style) -> str:
    """Write the three best moves."""
    return style.line(' ', [f'{style.cards(move.move)} {value_text(move)}' for move in advice.moves[:3]], '   ')


def value_lines(advice: Advice, legal: Sequence[str], style: Style) -> list[str]:
    """Write the value of each move, best first."""
    rows = []
    for move in advice.moves:
        more = f' (+{len(move.alike)})' if move.alike else ''
        value = '' if move.win is None else f'{value_text(move)}  '
        rows.append((f'#{legal.index(move.move)} {style.cards(move.move)}{more}', f'{value}{move.mark or move.grade}'))
    return style.columns(rows)


def rollout_lines(look: RolloutAnalysis, legal: Sequence[str], style: Style) -> list[str]:
    """Write the results of rollouts, best first, and the assumptions about hidden cards."""
    rows = style.columns(
        [(f'#{legal.index(move.move)} {style.cards(move.move)}', _outcome(move)) for move in look.moves]
    )
    deals = f'{look.deals:,} deal{"s" * (look.deals != 1)}'
    return [*rows, style.line(' ', f'Rollouts of {deals}: games won, and cards. {look.note}'.split(), ' ')]


def _outcome(move: MoveEstimate) -> str:
    text = f'{100 * move.win:3.0f} % {move.payoff.mean:+.1f}{margin_text(move.payoff.margin, 1)}'
    if move.behind == (0, 0):
        return text
    unclear = '' if move.behind.mean > move.behind.margin else ', too close to call'
    return f'{text}, {move.behind.mean:.1f}{margin_text(move.behind.margin, 1)} less{unclear}'


def review_text(reviewed: ReviewedMove, style: Style) -> str:
    """Write the chosen move, the best one, and the mark."""
    pairs = ((reviewed.move, reviewed.chosen), (reviewed.best.move, reviewed.best))
    chosen, best = (f'{style.cards(move)} {value_text(judged)}' for move, judged in pairs)
    mark = reviewed.chosen.mark
    return style.line(f' move {reviewed.ply + 1}: ', [chosen, f'best {best}', *([mark] if mark else [])])
