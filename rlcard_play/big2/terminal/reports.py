"""Text reports: replays, advice on positions, and the habits of players."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from rlcard_big2.cards import format_cards
from rlcard_big2.notation import split_tricks
from rlcard_big2.records import Record
from rlcard_big2.search.clone import TRAITS, Fit
from rlcard_kit.errors import RecordError
from rlcard_kit.statistics import Z95
from rlcard_play.big2.advice import CLOSE, Advisor
from rlcard_play.big2.played import GAME
from rlcard_play.big2.review import ReviewedMove
from rlcard_play.big2.terminal.formatting import (
    hint_line,
    move_lines,
    names_of,
    review_text,
    rollout_lines,
    seats_line,
    table_line,
    trick_of,
    value_lines,
    value_text,
)
from rlcard_play.big2.terminal.move_input import explain, find_action
from rlcard_play.study.protocols import State
from rlcard_play.study.review import Checked
from rlcard_play.terminal.board import Board
from rlcard_play.terminal.reports import advice_lines, seat_names
from rlcard_play.terminal.style import Style


def move_and_hand_lines(
    record: Record, names: Sequence[str], reviewed: Mapping[int, ReviewedMove], checked: Checked, style: Style
) -> Iterator[str]:
    """Write the hands of a game, and its moves by trick with their values."""
    for name, hand in zip(names, record.hands, strict=True):
        yield style.hand(f' {name}: ', 'hidden' if hand is None else format_cards(hand, record.rules.suits))
    moves = enumerate(record.trace)
    for number, trick in enumerate(split_tricks(record.trace, record.rules.players), 1):
        yield f'\n trick {number}'
        for ply, (seat, text) in islice(moves, len(trick)):
            parts = [f'{names[seat]} {style.cards(text)}', *_value_parts(reviewed.get(ply), checked, style)]
            yield style.line(f' {ply + 1:3}  ', parts)


def _value_parts(reviewed: ReviewedMove | None, checked: Checked, style: Style) -> list[str]:
    """Write the value of a move, and the best move if it is clearly better; without a mark that rollouts refute."""
    if reviewed is None:
        return []
    chosen, best = reviewed.chosen, reviewed.best
    if chosen.gap < CLOSE:
        return [value_text(chosen)]
    note = ', unchecked' * (reviewed.ply in checked.unchecked)
    mark = [reviewed.mark + note] if reviewed.mark and reviewed.ply not in checked.refuted else []
    return [value_text(chosen), f'best {style.cards(best.move)} {value_text(best)}', *mark]


def deep_lines(record: Record, number: int, advisor: Advisor, style: Style, deals: int) -> Iterator[str]:
    """Compare a move of a game, by its number from 1, with the best moves by rollouts.

    Raises:
        RecordError: if there is no such move, or the hand it was made from is unknown.
    """
    if not 1 <= number <= len(record.moves):
        raise RecordError(f'there is no move {number}: choose one from 1 to {len(record.moves)}')
    played = record.trace[number - 1][1]
    look = partial(advisor.look, deals=deals, played=played)
    yield from advice_lines(BOARD, record.at(number - 1), advisor, style, look)
    yield style.line(' ', [f'Move {number} was', style.cards(played)], ' ')


def position_lines(record: Record, state: State, style: Style) -> Iterator[str]:
    """Write a position as seen by the seat to move."""
    seat = record.player
    players = record.rules.players
    names = [names_of(players)[(other - seat) % players] for other in range(players)]
    yield seats_line(record.left, seat_names(record), seat, trick_of(state), style)
    if record.trace:
        last = split_tricks(record.trace, players)[-1]
        yield style.line(' ', [f'{names[mover]} {style.cards(text)}' for mover, text in last], ' | ')
    yield table_line(state['raw_obs'], names, style)
    yield style.hand(' Your hand: ', state['raw_obs']['current_hand'])


def _caveats(record: Record, name: str) -> list[str]:
    return [] if record.before is None else [f' {name} does not know the moves before this position.']


BOARD = Board(
    game=GAME,
    payoffs='payoffs',
    grades='grades',
    mistakes='costliest mistakes',
    no_mistakes='clear mistakes',
    find=find_action,
    explain=lambda entry, state: explain(entry, state['raw_obs'], state['raw_legal_actions']),
    position=position_lines,
    legal=lambda state, style: move_lines(state['raw_legal_actions'], state['raw_obs']['rules'], style, folded=True),
    hint=hint_line,
    values=lambda advisor, advice, legal, style: value_lines(advice, legal, style),
    rollouts=rollout_lines,
    review=review_text,
    moves=move_and_hand_lines,
    ending=lambda game: ['not finished' if game.winner is None else f'{len(game.moves)} moves'],
    caveats=_caveats,
)


def clone_lines(clone: Fit, choices: int, games: int) -> Iterator[str]:
    """Write the likelihood of a clone of players, and its significant weights."""
    yield f' {choices:,} choices among several moves, games: {games:,}. A clone gives the moves made a probability of'
    yield f' {clone.likelihood:.1%} in the geometric mean, the network alone {clone.before:.1%}.'
    weights = zip(TRAITS, clone.weights, Z95 * clone.errors, strict=True)
    clear = [f' {weight:+6.2f} ± {error:.2f}  {trait}' for trait, weight, error in weights if abs(weight) > error]
    yield ' In log-odds, with 95 % intervals:' if clear else ' No trait differs clearly from 0 yet: more games tell.'
    yield from clear
