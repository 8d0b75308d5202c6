"""Text reports: replays, and advice on positions."""

from collections.abc import Iterator, Sequence
from typing import Any

from rlcard_catch5.cards import format_cards, mask_of
from rlcard_catch5.engine.state import FIRST_CARD_PLY, HAND_SIZE, NUM_PLAYERS
from rlcard_catch5.records import Record
from rlcard_play.catch5.advice import DEALS, ODDEST, Advisor, ReviewedMove, oddest, open_position, review
from rlcard_play.catch5.terminal.formatting import (
    hand_line,
    legal_line,
    move_text,
    names_for,
    news_lines,
    review_text,
    rollout_lines,
    state_parts,
    value_lines,
    value_text,
)
from rlcard_play.catch5.views import split_tricks
from rlcard_play.terminal.commands import seat_names
from rlcard_play.terminal.grades import SECONDS, checked_lines, confirm_grades
from rlcard_play.terminal.style import Style


def replay_lines(record: Record, advisor: Advisor, style: Style, seconds: float = SECONDS) -> Iterator[str]:
    """Write a hand: cards, moves with their values, the score, and the odd moves.

    Args:
        record: of the hand.
        advisor: judges the moves.
        style: of the terminal.
        seconds: for the rollouts that confirm odd moves.
    """
    names, trace = seat_names(record), record.trace
    reviewed = {one.ply: one for one in review(record, advisor)}
    yield f' rules {record.rules.title}'
    yield f' {names[record.deal["dealer"]]} deals'
    for name, hand in zip(names, record.deal['hands'], strict=True):
        yield hand_line(f' {name}: ', format_cards(mask_of(hand)), style)
    for ply in range(min(FIRST_CARD_PLY, len(trace))):
        yield _move_line(trace, ply, names, reviewed, style)
    if len(trace) > FIRST_CARD_PLY - 1:
        yield '\n after the refill'
        yield from _refilled_lines(record, names, style)
    for number, trick in enumerate(split_tricks(trace)):
        yield f'\n trick {number + 1}'
        first = FIRST_CARD_PLY + number * NUM_PLAYERS
        yield from (_move_line(trace, first + i, names, reviewed, style) for i in range(len(trick)))
    yield ''
    if record.payoffs is not None:
        payoffs = [f'{name} {payoff:+d}' for name, payoff in zip(names, record.payoffs, strict=True)]
        yield style.line(' scores: ', payoffs)
    odd = oddest(reviewed.values(), count=None)
    checked = confirm_grades(advisor, record, odd, open_position, seconds)
    yield from checked_lines(checked, seconds, 'odd moves')
    confirmed = [one for one in odd if one.ply in checked.confirmed][:ODDEST]
    if confirmed:
        yield ' Moves that the network would hardly make:'
    for one in confirmed:
        yield f' {names[one.seat]}'
        yield review_text(one, style)


def _refilled_lines(record: Record, names: Sequence[str], style: Style) -> Iterator[str]:
    game = record.at(FIRST_CARD_PLY).final()[0]
    trump = record.trace[FIRST_CARD_PLY - 1][1][-1]
    for seat, name in enumerate(names):
        kept = HAND_SIZE - int(game['drawn'][seat])
        yield hand_line(f' {name}, {kept} kept: ', format_cards(int(game['hands'][seat])), style, trump)


def _move_line(
    trace: Sequence[tuple[int, str]], ply: int, names: Sequence[str], reviewed: dict[int, ReviewedMove], style: Style
) -> str:
    """Write a move, its value, and the best move if it is another."""
    seat, text = trace[ply]
    parts = [f'{names[seat]} {move_text(text, style)}']
    if ply in reviewed:
        chosen, best = reviewed[ply].chosen, reviewed[ply].best
        parts += [value_text(chosen), f'ahead {reviewed[ply].advice.points:+.1f}']
        parts += [] if chosen == best else [f'best {move_text(best.move, style)} {value_text(best)}']
    return style.line(f' {ply + 1:3}  ', parts)


def position_lines(record: Record, state: dict[str, Any], style: Style) -> Iterator[str]:
    """Write a position as seen by the seat to move."""
    seen, seat = state['raw_obs'], record.player
    names = names_for(seat)
    yield style.line(' ', [seat_names(record)[seat], *state_parts(seen, names)], '   ')
    yield from news_lines(seen, 0, format_cards(mask_of(record.deal['hands'][seat])), names, style)
    yield hand_line(' Your hand: ', seen['current_hand'], style, seen['trump'])


def advice_lines(record: Record, advisor: Advisor, style: Style, deep: bool = False) -> Iterator[str]:
    """Write a position as seen by the seat to move, and the value of each of its moves, by rollouts if `deep`.

    Raises:
        RecordError: as in `open_position`.
    """
    state = open_position(record)
    legal = state['raw_legal_actions']
    yield from position_lines(record, state, style)
    yield legal_line(legal, style)
    if deep:
        yield from rollout_lines(advisor.look(state), legal, DEALS, style)
    else:
        yield from value_lines(advisor.advise(state), legal, advisor.name, style)
