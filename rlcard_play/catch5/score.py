"""Score people's recorded hands against an agent on the same deals; see `rlcard_play.study.score`."""

from collections.abc import Hashable, Sequence

from typing_extensions import override

from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import NUM_TEAMS
from rlcard_catch5.records import FORMAT, Record
from rlcard_catch5.registry import make_agent
from rlcard_play.study import score


class Judge(score.Judge):
    """Scores hands of a person by the points that the own team is ahead; see the class of the kit."""

    card = CATCH5
    records = FORMAT
    make_player = staticmethod(make_agent)
    unit = 'points ahead per hand'

    @override
    def against(self, others: Sequence[str]) -> str:
        following, partner, previous = others
        return f'with {partner} against {following} and {previous}'

    @override
    def deal_of(self, game: Record) -> Hashable:
        return (game.deal['dealer'], *map(tuple, game.deal['hands']))

    @override
    def payoff(self, payoffs: Sequence[int], seat: int) -> int:
        own = seat % NUM_TEAMS
        return int(payoffs[own] - payoffs[1 - own])
