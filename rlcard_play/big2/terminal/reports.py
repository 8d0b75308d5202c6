"""Text reports: replays, advice on positions, and the habits of players."""

from collections.abc import Iterator
from typing import Any

from rlcard_big2.cards import format_cards
from rlcard_big2.notation import split_tricks
from rlcard_big2.records import Record
from rlcard_big2.search.clone import TRAITS, Fit
from rlcard_kit.errors import RecordError
from rlcard_kit.statistics import Z95
from rlcard_play.big2.advice import CLOSE, Advisor
from rlcard_play.big2.review import COSTLIEST, ReviewedMove, graded, open_position, review
from rlcard_play.big2.terminal.formatting import (
    names_of,
    review_text,
    rollout_lines,
    seats_line,
    table_line,
    trick_of,
    value_lines,
    value_text,
)
from rlcard_play.terminal.commands import seat_names
from rlcard_play.terminal.grades import SECONDS, checked_lines, confirm_grades
from rlcard_play.terminal.style import Style


def replay_lines(record: Record, advisor: Advisor, style: Style, seconds: float = SECONDS) -> Iterator[str]:
    """Write a game: hands, moves with their values, payoffs, and the costliest mistakes.

    Args:
        record: of the game.
        advisor: estimates the values.
        style: of the terminal.
        seconds: for the rollouts that confirm grades.
    """
    names, own = seat_names(record), list(review(record, advisor))
    worst = graded(own)
    checked = confirm_grades(advisor, record, worst, open_position, seconds)
    reviewed = {one.ply: one.after(checked) for one in own}
    yield f' rules {record.rules.title}'
    for name, hand in zip(names, record.hands, strict=True):
        yield style.hand(f' {name}: ', 'hidden' if hand is None else format_cards(hand, record.rules.suits))
    ply = 0
    for number, trick in enumerate(split_tricks(record.trace, record.rules.players), 1):
        yield f'\n trick {number}'
        for seat, text in trick:
            parts = [f'{names[seat]} {style.cards(text)}', *_value_parts(reviewed.get(ply), style)]
            yield style.line(f' {ply + 1:3}  ', parts)
            ply += 1
    yield ''
    if record.payoffs is not None:
        payoffs = [f'{name} {payoff:+d}' for name, payoff in zip(names, record.payoffs, strict=True)]
        yield style.line(' payoffs: ', payoffs)
    yield from checked_lines(checked, seconds)
    confirmed = [one for one in worst if one.ply in checked.confirmed][:COSTLIEST]
    if confirmed:
        yield ' Costliest mistakes:'
    for one in confirmed:
        yield f' {names[one.seat]}'
        yield review_text(one, style)


def _value_parts(reviewed: ReviewedMove | None, style: Style) -> list[str]:
    """Write the value of a move, and the best move if it is clearly better."""
    if reviewed is None:
        return []
    chosen, best = reviewed.chosen, reviewed.best
    if chosen.gap < CLOSE:
        return [value_text(chosen)]
    mark = [chosen.mark] if chosen.mark else []
    return [value_text(chosen), f'best {style.cards(best.move)} {value_text(best)}', *mark]


def deep_lines(record: Record, number: int, advisor: Advisor, style: Style, deals: int) -> Iterator[str]:
    """Compare a move of a game, by its number from 1, with the best moves by rollouts.

    Raises:
        RecordError: if there is no such move, or the hand it was made from is unknown.
    """
    if not 1 <= number <= len(record.moves):
        raise RecordError(f'there is no move {number}: choose one from 1 to {len(record.moves)}')
    played = record.trace[number - 1][1]
    yield from advice_lines(record.at(number - 1), advisor, style, deals, played)
    yield style.line(' ', [f'Move {number} was', style.cards(played)], ' ')


def position_lines(record: Record, state: dict[str, Any], style: Style) -> Iterator[str]:
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


def advice_lines(
    record: Record, advisor: Advisor, style: Style, deals: int = 0, played: str | None = None
) -> Iterator[str]:
    """Write a position as seen by the seat to move, and the value of each of its moves.

    Args:
        record: ends in the position.
        advisor: estimates the values.
        style: of the terminal.
        deals: of the hidden cards, for rollouts of the best moves; 0 for the advisor's values.
        played: a move to include in the rollouts.

    Raises:
        RecordError: as in `open_position`.
    """
    state = open_position(record)
    yield from position_lines(record, state, style)
    legal = state['raw_legal_actions']
    if deals:
        yield from rollout_lines(advisor.look(state, deals, played), legal, style)
    else:
        yield from value_lines(advisor.advise(state), legal, style)
    if record.before is not None:
        yield f' {advisor.name} does not know the moves before this position.'


def clone_lines(found: Fit, choices: int, games: int) -> Iterator[str]:
    """Write the likelihood of a clone of players, and its significant weights."""
    yield f' {choices:,} choices among several moves, games: {games:,}. A clone gives the moves made a probability of'
    yield f' {found.likelihood:.1%} in the geometric mean, the network alone {found.before:.1%}.'
    yield ' In log-odds, with 95 % intervals:'
    for trait, weight, error in zip(TRAITS, found.weights, Z95 * found.errors, strict=True):
        if abs(weight) > error:
            yield f' {weight:+6.2f} ± {error:.2f}  {trait}'
