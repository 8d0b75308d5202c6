"""The beginning of a record: a deal, or a position whose earlier moves are unknown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlcard_big2.cards import FULL_DECK, NUM_CARDS, format_cards
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS, Games, new_games, start
from rlcard_big2.rules import Rules
from rlcard_kit.errors import RecordError

SEATS = range(NUM_PLAYERS)


@dataclass(frozen=True)
class Before:
    """State of a game whose first moves are unknown.

    Args:
        played: mask of the cards that each seat has played.
        left: number of cards left to each seat.
        table: mask of the combination to beat, 0 if any may be led.
        by: the seat that played it; the seat to lead if there is none.
        passes: passes since it was played, 0 to 2.
        passed: the seats that have passed since the trick began, ascending. None means the seats that passed
            since the combination was played, which is all that matters unless a pass is final.
    """

    played: tuple[int, ...]
    left: tuple[int, ...]
    table: int
    by: int
    passes: int = 0
    passed: tuple[int, ...] | None = None

    @property
    def to_move(self) -> int:
        """The seat to move."""
        return (self.by + 1 + self.passes) % NUM_PLAYERS if self.table else self.by

    @property
    def passers(self) -> tuple[int, ...]:
        """The seats that have passed since the trick began, ascending."""
        return self._since_table if self.passed is None else self.passed

    @property
    def _since_table(self) -> tuple[int, ...]:
        return tuple(sorted((self.by + i) % NUM_PLAYERS for i in range(1, self.passes + 1)))

    def check(self, rules: Rules) -> None:
        """Raise RecordError if no game can reach this position."""
        self._check_cards(rules)
        if self.by not in SEATS:
            raise RecordError(f'before: by is {self.by}: it must be a seat from 0 to 3')
        if not 0 <= self.passes < NUM_PLAYERS - 1:
            raise RecordError(f'before: passes is {self.passes}: it must be from 0 to 2')
        self._check_table(rules)
        self._check_passed(rules)

    def _check_cards(self, rules: Rules) -> None:
        if len(self.played) != NUM_PLAYERS or len(self.left) != NUM_PLAYERS:
            raise RecordError(f'before: played and left must have {NUM_PLAYERS} entries each')
        seen = 0
        for seat, (mask, left) in enumerate(zip(self.played, self.left, strict=True)):
            if not 0 <= mask <= FULL_DECK or mask & seen:
                raise RecordError(f'before: {format_cards(mask & seen, rules.suits)} was played twice')
            if left < 1 or mask.bit_count() + left != HAND_SIZE:
                raise RecordError(
                    f'before: seat {seat} has played {mask.bit_count()} cards and has {left} left: '
                    f'they must add up to {HAND_SIZE}, with at least one left'
                )
            seen |= mask
        if not seen:
            raise RecordError('before: no card was played: give "moves": [] and no before')

    def _check_table(self, rules: Rules) -> None:
        text = format_cards(self.table, rules.suits)
        if self.table == 0:
            if self.passes:
                raise RecordError(f'before: passes is {self.passes}, but the table is empty: it must be 0')
            if not self.played[self.by]:
                raise RecordError(f'before: seat {self.by} is to lead, but has played no card')
        elif self.table & ~self.played[self.by]:
            raise RecordError(f'before: the table is {text}, but seat {self.by} has not played these cards')
        elif strength(tabulate(rules)[0], self.table) == 0:
            raise RecordError(f'before: the table is {text}, which is not a combination under these rules')

    def _check_passed(self, rules: Rules) -> None:
        passed = self.passers
        if list(passed) != sorted(set(passed) & set(SEATS)):
            raise RecordError(f'before: passed is {list(passed)}: it must list seats from 0 to 3, ascending')
        missing = set(self._since_table) - set(passed)
        if missing:
            raise RecordError(f'before: passed lacks seat {min(missing)}, which passed after the table was played')
        if passed and not self.table:
            raise RecordError(f'before: passed is {list(passed)}, but the table is empty: nobody has passed')
        if rules.final_pass and self.by in passed:
            raise RecordError(f'before: seat {self.by} has passed, and a pass is final: it cannot hold the table')


def deal_hidden(
    held: Sequence[int], sizes: Sequence[int], gone: int, random: np.random.RandomState | None
) -> tuple[int, ...]:
    """Complete hands to their sizes with the cards that are neither held nor gone; without `random` in their order."""
    hidden = FULL_DECK & ~gone & ~sum(held)
    pool = [card for card in range(NUM_CARDS) if hidden >> card & 1]
    if random is not None:
        random.shuffle(pool)
    hands = list(held)
    for seat, size in enumerate(sizes):
        missing = size - held[seat].bit_count()
        hands[seat] |= sum(1 << card for card in pool[:missing])
        pool = pool[missing:]
    return tuple(hands)


def begin(hands: Sequence[int], before: Before | None, rules: Rules) -> Games:
    """Return a game at its beginning, [1] of GAME.

    The history of a later game is as short as possible: the combination to beat and the passes since, or four passes,
    since the last trick is unknown.
    """
    games = new_games(1)
    start(games[0], np.array(hands, np.int64))
    if before is None:
        return games
    games['player'] = before.to_move
    games['played'] = before.played
    games['table'] = before.table
    games['passes'] = before.passes
    games['passed'] = sum(1 << seat for seat in before.passers)
    games['ply'] = before.passes + 1 if before.table else NUM_PLAYERS
    if before.table:
        beat = strength(tabulate(rules)[0], before.table)
        games['beat'] = beat
        games['history'][0, 0] = before.table
        games['kinds'][0, before.by] = 1 << (beat >> 16)
    return games
