"""Score people's recorded games against an agent on the same deals; see `rlcard_kit.study.score`."""

from collections.abc import Hashable

from typing_extensions import override

from rlcard_big2.records import FORMAT, Record
from rlcard_big2.study.advice import CLOSE, make_player
from rlcard_big2.study.review import review
from rlcard_kit.study import score


class Judge(score.Judge):
    """Scores games of a person by the cards won; see the class of the kit."""

    records = FORMAT
    make_player = staticmethod(make_player)
    unit = 'cards won per game'

    @override
    def deal_of(self, game: Record) -> Hashable:
        return game.hands if game.before is None and None not in game.hands else None

    @override
    def given_away(self, game: Record, seat: int) -> float | None:
        if self.advisor.calibration(game.rules) is None:
            return None
        own = [one for one in review(game, self.advisor) if one.seat == seat and one.chosen.gap >= CLOSE]
        return sum((one.best.cards or 0) - (one.chosen.cards or 0) for one in own)
