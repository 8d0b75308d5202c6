"""What the moves of a game or position were worth, for whoever pastes it."""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from rlcard_big2 import records
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.records import Record
from rlcard_big2.records.codes import CODE
from rlcard_big2.rules import Rules
from rlcard_big2.study.advice import Advice, Advisor
from rlcard_big2.study.analysis import open_position
from rlcard_big2.study.review import Decision, decisions
from rlcard_big2.study.views import position_view
from rlcard_kit.errors import RecordError

SEEDED = re.compile(r'([0-9]{1,10})/([0-9]{1,5})')  # seed/number
LARGEST_SEED = (1 << 32) - 1
ADDRESS = re.compile(r'(?:[?&]|/api/)(table|record)s?[=/]([A-Za-z0-9_-]{1,64})')
PLY = re.compile(r'[?&]ply=([0-9]{1,3})(?![0-9])')
MOST_GAMES = 10_000  # of an upload
KEPT = 32  # games whose values are kept for the next ply that is asked for


def find_deal(text: str, rules: Rules) -> Record | None:
    """Return the deal that a text names, `seed/number` or a deal's code, as a record, or None if it names none."""
    seeded = SEEDED.fullmatch(text)
    if seeded is not None:
        seed, number = map(int, seeded.groups())
        if seed > LARGEST_SEED:
            raise RecordError(f'the seed {seed} is too large: it may be {LARGEST_SEED}')
        return records.from_deals(deals_from_seed(seed, number + 1)[number:], rules)[0]
    return Record(records.hands_of_code(text), rules=rules) if CODE.fullmatch(text) else None


def find_game(text: str, number: int | None, find: Callable[[str, str], Record]) -> Record:
    """Return the game or position that a text means.

    Args:
        text: JSON, several lines of it, `seed/number`, a deal's code, or the address of a table or record.
        number: of the game, from 1 on, if there are several lines.
        find: returns the game of a 'table' or 'record' by its id.

    Raises:
        RecordError: says what is wrong.
    """
    text = text.strip()
    if not text.startswith('{'):
        address = ADDRESS.search(text)
        found = find(*address.groups()) if address else find_deal(text, Rules())
        if found is None:
            raise RecordError(
                f'{text[:60]!r} is not a game: paste a record or a position as JSON, '
                'a deal as seed/number or as its code, or the address of a table or a game'
            )
        return found
    return records.parse(_line(text, number))


def _line(text: str, number: int | None) -> str:
    """Return one of several lines; a record that is broken over lines is one."""
    lines = [line for line in text.split('\n') if line.strip()]
    if len(lines) > MOST_GAMES:
        raise RecordError(f'there are {len(lines):,} lines: at most {MOST_GAMES:,} are read')
    if len(lines) == 1 or not _is_json(lines[0]):
        lines = [text]
    elif number is None:
        raise RecordError(f'there are {len(lines):,} games: choose one of them by its number, "game": 1')
    number = 1 if number is None else number
    if not 1 <= number <= len(lines):
        raise RecordError(f'there is no game {number}: the numbers go from 1 to {len(lines):,}')
    return lines[number - 1]


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


class Analyst:
    """Says what moves were worth; it remembers the games that it was asked about last.

    Args:
        advisor: whose values it says.
    """

    def __init__(self, advisor: Advisor) -> None:
        self.advisor = advisor
        self._decisions = lru_cache(maxsize=KEPT)(self._decide)

    def _decide(self, game: str) -> tuple[Decision, ...]:
        return tuple(decisions(records.parse(game), self.advisor))

    def analyse(self, record: Record, ply: int | None, seat: int | None) -> dict[str, Any]:
        """Return a position of a game and what its moves are worth.

        Args:
            record: the game, from its beginning.
            ply: moves before the position; all of them if it is None.
            seat: who looks at it; None for everybody.
        """
        if seat is not None and record.hands[seat] is None:
            raise RecordError(f'the hand of seat {seat} is unknown, so nothing can be seen from there')
        position = record if ply is None else record.at(ply)
        judged = self._decisions(records.to_json(record))
        view = position_view(position, seat)
        advice = self._advice(position, judged) if view['legal'] else None
        return {
            'record': records.to_dict(record),
            'plies': len(record.moves),
            'ply': len(position.moves),
            'seat': seat,
            'to_move': view['to_move'],
            'position': view,
            'moves': [] if advice is None else [move.to_json() for move in advice.moves],
            'agent': self.advisor.name,
            'calibrated': self.advisor.calibration(record.rules) is not None,
            'choices': [one.to_json() for one in judged],
        }

    def _advice(self, position: Record, judged: tuple[Decision, ...]) -> Advice:
        """Return advice for the seat to move, whose hand is known."""
        found = next((one.advice for one in judged if one.ply == len(position.moves)), None)
        if found is not None:
            return found
        return self.advisor.advise(open_position(position))
