"""Recorded games and positions as text, with what the moves were worth."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import rlcard

from rlcard_big2 import records
from rlcard_big2.cards import format_cards
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records import Record
from rlcard_big2.study.advice import CLOSE, Advisor
from rlcard_big2.study.review import Decision, dearest, decisions
from rlcard_big2.terminal.formatting import (
    OTHERS,
    Style,
    choice_text,
    hand_line,
    look_lines,
    seats_line,
    table_line,
    trick_number,
    tricks,
    value_lines,
    worth,
)
from rlcard_kit.errors import RecordError

STDIN = '-'


def find_games(text: str) -> list[Record]:
    """Return the games or positions that a text means: JSON, a file of records, or '-' for JSON on standard input.

    Raises:
        RecordError: says what is wrong, and where.
        OSError: if the file cannot be read.
    """
    if text == STDIN:
        text = sys.stdin.read().strip()
    elif not text.lstrip().startswith('{'):
        found = records.read(Path(text))
        if not found:
            raise RecordError(f'{text} holds no games')
        return found
    return [records.parse(text)]


def choose_game(games: Sequence[Record], number: int | None) -> Record:
    """Return a game by its number, from 1 on; RecordError if there is none, or no number is given for many."""
    if number is None and len(games) > 1:
        raise RecordError(f'there are {len(games):,} games: choose one of them with --game')
    number = 1 if number is None else number
    if not 1 <= number <= len(games):
        raise RecordError(f'there is no game {number}: the numbers go from 1 to {len(games):,}')
    return games[number - 1]


def seat_names(record: Record) -> list[str]:
    """Return what the four seats are called."""
    seats: Sequence[dict[str, object]] = record.seats or ({},) * NUM_PLAYERS
    return [f'[{seat}] {known["name"]}' if known.get('name') else f'seat {seat}' for seat, known in enumerate(seats)]


def list_lines(games: Sequence[Record], style: Style) -> Iterator[str]:
    """Write a line for each game: who sat there, and how it ended."""
    for number, game in enumerate(games, 1):
        payoffs = game.payoffs or (None,) * NUM_PLAYERS
        seats = [
            name if payoff is None else f'{name} {payoff:+d}'
            for name, payoff in zip(seat_names(game), payoffs, strict=True)
        ]
        end = 'not ended' if game.winner is None else f'{len(game.moves)} moves'
        yield style.line(f' #{number} ', [game.rules.title, *seats, end])


def replay_lines(record: Record, advisor: Advisor, style: Style) -> Iterator[str]:
    """Write a game: hands, all moves with what they were worth, the payoffs, and the dearest choices."""
    names = seat_names(record)
    yield f' rules {record.rules.title}'
    for name, hand in zip(names, record.hands, strict=True):
        yield hand_line(f' {name}: ', 'hidden' if hand is None else format_cards(hand, record.rules.suits), style)
    judged = {choice.ply: choice for choice in decisions(record, advisor)}
    ply = 0
    for number, trick in enumerate(tricks(record.trace), 1):
        yield f'\n trick {number}'
        for seat, text in trick:
            yield style.line(
                f' {ply + 1:3}  ', [f'{names[seat]} {style.cards(text)}', *_judgement(judged.get(ply), style)]
            )
            ply += 1
    yield from _end_lines(record, list(judged.values()), names, style)


def _judgement(choice: Decision | None, style: Style) -> list[str]:
    """Say what a choice was worth, and what would have been better if that can be told."""
    if choice is None:
        return []
    chosen, best = choice.chosen, choice.best
    if chosen.gap < CLOSE:
        return [worth(chosen)]
    return [worth(chosen), f'best {style.cards(best.move)} {worth(best)}', *([chosen.mark] if chosen.mark else [])]


def _end_lines(record: Record, judged: list[Decision], names: Sequence[str], style: Style) -> Iterator[str]:
    yield ''
    if record.payoffs is not None:
        payoffs = [f'{name} {payoff:+d}' for name, payoff in zip(names, record.payoffs, strict=True)]
        yield style.line(' payoffs: ', payoffs)
    worst = dearest(judged)
    if worst:
        yield ' The dearest choices:'
    for choice in worst:
        yield f' {names[choice.seat]}'
        yield choice_text(choice, style)


def deep_lines(record: Record, number: int, advisor: Advisor, style: Style, deals: int) -> Iterator[str]:
    """Write a move of a game, by its number from 1 on, as `advice_lines` writes a position that is played on.

    Raises:
        RecordError: if there is no such move, or the hand that it was made from is unknown.
    """
    if not 1 <= number <= len(record.moves):
        raise RecordError(f'there is no move {number}: the numbers go from 1 to {len(record.moves)}')
    played = record.trace[number - 1][1]
    yield from advice_lines(record.at(number - 1), advisor, style, deals, played)
    yield style.line(' ', [f'Move {number} was', style.cards(played)], ' ')


def open_position(record: Record) -> dict[str, Any]:
    """Return what the seat to move sees of a position, as a state of `rlcard.make('big2')`.

    Raises:
        RecordError: if the game has ended, or the hand of the seat to move is unknown.
    """
    if record.winner is not None:
        raise RecordError(f'the game has ended: choose a position with --ply, from 0 to {len(record.moves) - 1}')
    seat = record.player
    if record.hands[seat] is None:
        raise RecordError(f'seat {seat} is to move, and its hand is unknown: give it in "hands"')
    env = rlcard.make('big2', config={'seed': 0, 'game_rules': record.rules})
    state: dict[str, Any] = env.reset(position=record)[0]
    return state


def position_lines(record: Record, state: dict[str, Any], style: Style) -> Iterator[str]:
    """Write a position as the seat to move sees it."""
    seat = record.player
    names = [('you', *OTHERS)[(other - seat) % NUM_PLAYERS] for other in range(NUM_PLAYERS)]
    yield seats_line(record.left, seat_names(record), seat, trick_number(state), style)
    if record.trace:
        yield style.line(
            ' ', [f'{names[mover]} {style.cards(text)}' for mover, text in tricks(record.trace)[-1]], ' | '
        )
    yield table_line(state['raw_obs'], names, style)
    yield hand_line(' Your hand: ', state['raw_obs']['current_hand'], style)


def advice_lines(
    record: Record, advisor: Advisor, style: Style, deals: int = 0, played: str | None = None
) -> Iterator[str]:
    """Write a position as the seat to move sees it, and what each of its moves is worth.

    Args:
        record: ends in the position.
        advisor: says what moves are worth.
        style: of the terminal.
        deals: of the hidden cards in which the best moves are played on; 0 for the advisor's values.
        played: a move to play on beside the best ones.

    Raises:
        RecordError: as `open_position` does.
    """
    state = open_position(record)
    yield from position_lines(record, state, style)
    legal = state['raw_legal_actions']
    if deals:
        yield from look_lines(advisor.look(state, deals, played), legal, style)
    else:
        yield from value_lines(advisor.advise(state), legal, style)
    if record.before is not None:
        yield f' The moves before this position are unknown, so {advisor.name} was given none.'
