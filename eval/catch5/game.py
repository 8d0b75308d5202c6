"""The evaluation of Catch Five: two of an agent against two of another, in both pairs of seats."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from eval.catch5.counts import Catch5Counter
from eval.catch5.groups import by_auction, by_choice, by_hand, by_phase, by_turn
from eval.game import EvaluatedGame, Pair, Panel, Wording
from eval.tables import Columns, Row, Section, row
from rlcard_catch5.duplicate import play_match
from rlcard_catch5.duplicate.deals import load_deals, save_deals
from rlcard_catch5.duplicate.match import SHARES, TeamMatch
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import Deals
from rlcard_catch5.records import FORMAT, Record, from_deal
from rlcard_catch5.registry import REGISTRY
from rlcard_catch5.rules import PRESETS
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import Outcome


class EvaluatedCatch5(EvaluatedGame):
    """The evaluation of Catch Five."""

    card = CATCH5
    wording = Wording(
        'Catch Five',
        seated='with the teams in both pairs of seats',
        shares=SHARES,
        headline='score difference',
        unit='points a hand',
        compared=('score difference', 'hands won', 'hands won, raw'),
        legend=(
            'Score difference: points per hand by which a team scores more than the other. Hands won: share of hands '
            'with the higher score; raw: with more points taken. Bids made: share of the auctions won in which the '
            'team took its bid. ±: half of the 95 % interval; one deal with both of its hands counts once.'
        ),
        explained=(
            "The hands dealt are rated by the points that the rule agent expects of the team's best suit; see "
            'worth_of_suit in agents/rule.py.',
            'Replay a hand of the swings by catch5 replay swings.catch5.jsonl --game 1.',
        ),
        place='match',
    )
    names = REGISTRY
    presets = PRESETS
    baselines = ('pass', 'rule')
    panels = (
        Panel('share of hands won', ('hands won', 'hands won, raw'), has_both=False),
        Panel('share of auctions won by a seat', ('bids won by a seat',)),
        Panel('mean winning bid', ('winning bid',)),
        Panel('mean score on own bids', ('score on own bids',)),
        Panel("mean score on others' bids", ("score on others' bids",)),
    )
    game_groups: ClassVar = {'hand': by_hand, 'turn': by_turn}
    divergence_groups: ClassVar = {'phase': by_phase, 'choice': by_choice, 'auction': by_auction}
    counter = Catch5Counter
    records = FORMAT

    save_deals = staticmethod(save_deals)
    load_deals = staticmethod(load_deals)
    play_match = staticmethod(play_match)

    @override
    def record(self, deal: Deals, moves: Sequence[int], rules: Any, **about: Any) -> Record:
        return from_deal(deal, moves, rules, **about)

    @override
    def duels(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return each pair once: a match has both pairs of seats, so it is that of the opponent too."""
        chosen: list[Pair] = []
        for agent, opponent in pairs:
            if (opponent, agent) not in chosen:
                chosen.append((agent, opponent))
        return chosen

    @override
    def matches(self, pairs: Sequence[Pair], outcome: Outcome, rules: Any) -> dict[Pair, TeamMatch]:
        """Return the match of each pair, and from the point of view of the other team."""
        parts = outcome.parts(len(CATCH5.seatings(0, 1)))
        played = {
            pair: TeamMatch.from_outcome(part, rules) for pair, part in zip(self.duels(pairs), parts, strict=True)
        }
        return played | {(opponent, agent): match.turned for (agent, opponent), match in played.items()}

    @override
    def by_deal(self, match: TeamMatch) -> Columns:
        return match.by_deal

    @override
    def table(self, title: str, names: tuple[str, str], match: TeamMatch) -> Section:
        """Return a row for each team."""
        rows = [_team_row(name, team) for name, team in zip(names, (match, match.turned), strict=True)]
        total = [f'matches to {match.rules.target} won'] if match.matches_won is not None else []
        return Section(title, (*match.by_deal, *total), tuple(rows))

    @override
    def gains(self, payoffs: Int64Array) -> Int64Array:
        """Return by how much each seat's team scores more: this decides matches, and neither score alone does."""
        difference: Int64Array = payoffs - np.roll(payoffs, 1, axis=-1)
        return difference


def _team_row(name: str, match: TeamMatch) -> Row:
    """Return the figures of a team, and the share of matches to a total that it won, which has no value by deal."""
    figures = row(name, match.by_deal, SHARES)
    won = match.matches_won
    return figures if won is None else Row(name, (*figures.cells, None if np.isnan(won.mean) else won))
