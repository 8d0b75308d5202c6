"""The evaluation of Big 2: one agent in each seat against three of its opponent."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from typing_extensions import Self, override

from eval.big2.counts import Big2Counter
from eval.big2.groups import by_cards_left, by_choice, by_hand, by_turn
from eval.game import EvaluatedGame, Wording
from eval.tables import Columns, Section, row
from rlcard_big2.duplicate import play_match
from rlcard_big2.duplicate.deals import load_deals, save_deals
from rlcard_big2.engine.big2 import BIG2, big2_for
from rlcard_big2.records import FORMAT, Record
from rlcard_big2.registry import REGISTRY
from rlcard_big2.rules import PRESETS, Rules
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.match import Match

SHORT = {'previous': 'prev.'}  # names of opponents in the heads of columns
NUMBERS = ('one', 'two', 'three')
HEADS = {'wp': 'WP', 'ev': 'EV', 'plies': 'length'}  # of the figures that have no names of their own


class EvaluatedBig2(EvaluatedGame):
    """The evaluation of Big 2."""

    card = BIG2
    rules = Rules()
    wording = Wording(
        'Big 2',
        opponents='three',
        unit='cards a game',
        counted='cards',
        legend=(
            'WP: share of games won. EV: cards won per game, in all and from the next, across and previous opponent in '
            'the order of play. Length: moves in a game. ±: half of the 95 % interval; one deal with all its games '
            'counts once.'
        ),
        explained=(
            "A hand's strength is the cost of the rule agent's plan for it, in turns; see "
            'price_hands in agents/rule.py.',
            'Replay a game of the swings by big2 replay swings.big2.jsonl --game 1.',
        ),
    )
    names = REGISTRY
    presets = PRESETS
    ladder = ('charlesworth', 'coders-for-causes')
    baselines = ('random', 'rule')
    game_groups: ClassVar = {'hand': by_hand, 'turn': by_turn}
    divergence_groups: ClassVar = {'left': by_cards_left, 'choice': by_choice}
    counter = Big2Counter
    records = FORMAT

    save_deals = staticmethod(save_deals)
    play_match = staticmethod(play_match)

    @override
    def for_rules(self, rules: Rules) -> Self:
        sized = copy(self)
        sized.rules, sized.card = rules, big2_for(rules)
        sized.wording = replace(self.wording, opponents=NUMBERS[rules.players - 2])
        return sized

    @override
    def load_deals(self, path: Path) -> Int64Array:
        return load_deals(path, self.rules)

    @override
    def record(self, deal: Int64Array, moves: Sequence[int], rules: Any, **about: Any) -> Record:
        return Record(hands=tuple(deal[0].tolist()), moves=tuple(moves), rules=rules, **about)

    @override
    def by_deal(self, match: Match) -> Columns:
        return {_head(*key): column for key, column in match.by_deal().items()}

    @override
    def table(self, title: str, names: tuple[str, str], match: Match) -> Section:
        """Return a row for each seat of the agent, and one for all of them."""
        whole = self.by_deal(match)
        seats = [
            row(f'seat {seat}', self.by_deal(match.seating(seat)), self.wording.shares)
            for seat in range(self.card.num_seats)
        ]
        return Section(title, tuple(whole), (*seats, row('all seats', whole, self.wording.shares)))

    @override
    def mixed_tables(self, count: int) -> Int64Array:
        """Return all seatings of tables with as many different agents as possible, int64 [G, seats]."""
        players = self.card.num_seats
        if count >= players:
            tables: Iterator[tuple[int, ...]] = (
                seats for chosen in combinations(range(count), players) for seats in permutations(chosen)
            )
        else:
            tables = (seats for seats in product(range(count), repeat=players) if _is_even(seats, count))
        return np.array(list(tables))


def _head(field: str, name: str) -> str:
    """Return the head of a column, given a field of `Result` and its name there."""
    if field == 'ev_by_position':
        return f'EV {SHORT.get(name, name)}'
    return HEADS.get(field, name)


def _is_even(seats: tuple[int, ...], count: int) -> bool:
    """Whether a table of fewer agents than seats has each at least once, and none more than twice."""
    seen = Counter(seats)
    return len(seen) == count and max(seen.values()) == 2
