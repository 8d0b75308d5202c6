"""The beginning of a record: a deal, or a position whose earlier moves are unknown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rlcard_big2.cards import NUM_CARDS, format_cards
from rlcard_big2.engine.ruleset import kind_of, strength, tabulate
from rlcard_big2.engine.state import Games, new_games, start
from rlcard_big2.rules import Rules
from rlcard_kit.errors import RecordError


@dataclass(frozen=True)
class Before:
    """State of a game whose first moves are unknown.

    Args:
        played: mask of the cards that each seat has played.
        left: number of cards left to each seat.
        table: mask of the combination to beat, 0 if any may be led.
        by: the seat that played it; the seat to lead if there is none.
        passes: passes since it was played, fewer than the opponents.
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
        return (self.by + 1 + self.passes) % len(self.played) if self.table else self.by

    @property
    def passers(self) -> tuple[int, ...]:
        """The seats that have passed since the trick began, ascending."""
        return self._since_table if self.passed is None else self.passed

    @property
    def _since_table(self) -> tuple[int, ...]:
        return tuple(sorted((self.by + i) % len(self.played) for i in range(1, self.passes + 1)))

    def check(self, rules: Rules) -> None:
        """Raise RecordError if no game can reach this position."""
        self._check_cards(rules)
        if self.by not in range(rules.players):
            raise RecordError(f'before: by is {self.by}: it must be a seat from 0 to {rules.players - 1}')
        if not 0 <= self.passes < rules.players - 1:
            raise RecordError(f'before: passes is {self.passes}: it must be from 0 to {rules.players - 2}')
        self._check_table(rules)
        self._check_passed(rules)

    def _check_cards(self, rules: Rules) -> None:
        if len(self.played) != rules.players or len(self.left) != rules.players:
            raise RecordError(f'before: played and left must have {rules.players} entries each')
        seen, sizes = 0, {rules.hand_size, rules.most_cards}
        for seat, (mask, left) in enumerate(zip(self.played, self.left, strict=True)):
            if mask & ~rules.pack:
                raise RecordError(f'before: {format_cards(mask & ~rules.pack, rules.suits)} is not in the pack')
            if mask & seen:
                raise RecordError(f'before: {format_cards(mask & seen, rules.suits)} was played twice')
            if left < 1 or mask.bit_count() + left not in sizes:
                raise RecordError(
                    f'before: seat {seat} has played {mask.bit_count()} cards and has {left} left: '
                    f'they must add up to {" or ".join(map(str, sorted(sizes)))}, with at least one left'
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
        if list(passed) != sorted(set(passed) & set(range(rules.players))):
            last = rules.players - 1
            raise RecordError(f'before: passed is {list(passed)}: it must list seats from 0 to {last}, ascending')
        missing = set(self._since_table) - set(passed)
        if missing:
            raise RecordError(f'before: passed lacks seat {min(missing)}, which passed after the table was played')
        if passed and not self.table:
            raise RecordError(f'before: passed is {list(passed)}, but the table is empty: nobody has passed')
        if rules.final_pass and self.by in passed:
            raise RecordError(f'before: seat {self.by} has passed, and a pass is final: it cannot hold the table')


def deal_hidden(
    held: Sequence[int],
    limits: Sequence[int],
    sizes: Sequence[int],
    hidden: int,
    random: np.random.RandomState | None,
) -> tuple[int, ...]:
    """Complete hands to their sizes with hidden cards; without `random` in their order.

    Seats get only cards below their limits, if there are enough; the lowest limit is served first.
    """
    pool = [card for card in range(NUM_CARDS) if hidden >> card & 1]
    hands = list(held)
    for seat in sorted(range(len(held)), key=limits.__getitem__):
        if random is not None:
            random.shuffle(pool)
        missing = sizes[seat] - held[seat].bit_count()
        dealt = sorted(pool, key=limits[seat].__le__)[:missing]
        hands[seat] |= sum(1 << card for card in dealt)
        pool = [card for card in pool if card not in dealt]
    return tuple(hands)


def begin(hands: Sequence[int], before: Before | None, rules: Rules) -> Games:
    """Return a game at its beginning, [1] of GAME.

    The history of a later game is as short as possible: the combination to beat and the passes since, or four passes,
    since the last trick is unknown.
    """
    games = new_games(1)
    start(tabulate(rules)[0], games[0], np.array(hands, np.int64))
    if before is None:
        return games
    games['player'] = before.to_move
    games['played'][0, : rules.players] = before.played
    games['table'] = before.table
    games['passes'] = before.passes
    games['passed'] = sum(1 << seat for seat in before.passers)
    games['ply'] = before.passes + 1 if before.table else rules.players
    if before.table:
        beat = strength(tabulate(rules)[0], before.table)
        games['beat'] = beat
        games['history'][0, 0] = before.table
        games['kinds'][0, before.by] = 1 << kind_of(beat)
    return games


def must_be_highest(rules: Rules, games: Games) -> bool:
    """Return whether a single of the seat to move must be its highest card, in a game, [1] of GAME."""
    after = [(games['player'][0] + i) % rules.players for i in range(1, rules.players)]
    are_in = [seat for seat in after if games['hands'][0, seat]]
    following = [seat for seat in are_in if not (rules.final_pass and games['passed'][0] >> seat & 1)][:1]
    has_one_card = [int(games['hands'][0, seat]).bit_count() for seat in following] == [1]
    has_choice = games['ply'][0] > 0 or rules.opening == 'any' or rules.leader is not None
    return rules.last_card == 'highest' and has_choice and has_one_card
