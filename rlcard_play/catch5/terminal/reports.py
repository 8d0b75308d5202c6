"""Text reports: replays, and advice on positions."""

from collections.abc import Iterator, Mapping, Sequence

from rlcard_catch5.cards import format_cards, mask_of
from rlcard_catch5.engine.state import FIRST_CARD_PLY, HAND_SIZE, NUM_PLAYERS
from rlcard_catch5.records import Record
from rlcard_play.catch5.advice import DEALS
from rlcard_play.catch5.played import GAME
from rlcard_play.catch5.review import ReviewedMove
from rlcard_play.catch5.terminal.formatting import (
    hand_line,
    hint_line,
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
from rlcard_play.catch5.terminal.move_input import explain, find_action
from rlcard_play.catch5.views import split_tricks
from rlcard_play.study.protocols import State
from rlcard_play.study.review import Checked
from rlcard_play.terminal.board import Board
from rlcard_play.terminal.reports import seat_names
from rlcard_play.terminal.style import Style


def move_and_hand_lines(
    record: Record, names: Sequence[str], reviewed: Mapping[int, ReviewedMove], checked: Checked, style: Style
) -> Iterator[str]:
    """Write the dealer and the cards of a hand, and its moves with their values; the grades are not used."""
    trace = record.trace
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


def _refilled_lines(record: Record, names: Sequence[str], style: Style) -> Iterator[str]:
    game = record.at(FIRST_CARD_PLY).final()[0]
    trump = record.trace[FIRST_CARD_PLY - 1][1][-1]
    for seat, name in enumerate(names):
        kept = HAND_SIZE - int(game['drawn'][seat])
        yield hand_line(f' {name}, {kept} kept: ', format_cards(int(game['hands'][seat])), style, trump)


def _move_line(
    trace: Sequence[tuple[int, str]], ply: int, names: Sequence[str], reviewed: Mapping[int, ReviewedMove], style: Style
) -> str:
    """Write a move, its value, and the best move if it is another."""
    seat, text = trace[ply]
    parts = [f'{names[seat]} {move_text(text, style)}']
    if ply in reviewed:
        chosen, best = reviewed[ply].chosen, reviewed[ply].best
        parts += [value_text(chosen), f'ahead {reviewed[ply].advice.points:+.1f}']
        parts += [] if chosen == best else [f'best {move_text(best.move, style)} {value_text(best)}']
    return style.line(f' {ply + 1:3}  ', parts)


def position_lines(record: Record, state: State, style: Style) -> Iterator[str]:
    """Write a position and its legal moves as seen by the seat to move."""
    seen, seat = state['raw_obs'], record.player
    names = names_for(seat)
    yield style.line(' ', [seat_names(record)[seat], *state_parts(seen, names)], '   ')
    yield from news_lines(seen, 0, format_cards(mask_of(record.deal['hands'][seat])), names, style)
    yield hand_line(' Your hand: ', seen['current_hand'], style, seen['trump'])
    yield legal_line(state['raw_legal_actions'], style)


BOARD = Board(
    game=GAME,
    payoffs='scores',
    grades='odd moves',
    mistakes='moves that {} would hardly make',
    no_mistakes='odd moves',
    find=find_action,
    explain=lambda entry, state: explain(entry, state['raw_obs']),
    position=position_lines,
    legal=lambda state, style: (),
    hint=hint_line,
    values=lambda advisor, advice, legal, style: value_lines(advice, legal, advisor.name, style),
    rollouts=lambda look, legal, style: rollout_lines(look, legal, DEALS, style),
    review=review_text,
    moves=move_and_hand_lines,
    ending=lambda game: ['not finished'] * (game.payoffs is None),
)
