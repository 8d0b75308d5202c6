"""Score people's recorded games against an agent on the same deals; see `rlcard_play.study.score`."""

from collections.abc import Hashable

import numpy as np
from typing_extensions import override

from rlcard_big2.agents.base import EpsilonAgent
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.records import FORMAT, Record
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv
from rlcard_play.big2.advice import CLOSE, make_player
from rlcard_play.big2.review import review
from rlcard_play.study import score

PLAYOUTS, EPSILON = 16, 0.05  # of a deal, and the share of random moves in them
LUCK = 0.6  # of what its cards win in these; chosen on deals 0 to 199 of seed 779 (`benchmarks.luck` at f2cb7b0)


class Judge(score.Judge):
    """Scores games of a person by the cards won; see the class of the kit."""

    card = BIG2
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

    @override
    def luck(self, game: Record, seat: int) -> float:
        """Return a share of what copies of the agent win with these cards, in the mean of some games that they play.

        The share makes the variance of payoffs less luck small. The mean of all seats is subtracted: whatever the agent
        and the share, luck is 0 in the mean, since each seat is as likely to hold any of a deal's hands.
        """
        env = VectorEnv(BIG2, game.rules, np.repeat(np.array([game.hands]), PLAYOUTS, axis=0))
        agent = EpsilonAgent(self.advisor.agent, EPSILON)
        agent.prepare(game.rules)
        payoffs = env.new_payoffs()
        table = Table(env, [agent], np.zeros_like(payoffs), new_streams(0, PLAYOUTS)[:, None], ask_forced=False)
        while not env.is_over:
            payoffs = table.turn().payoffs
        return LUCK * float(payoffs[:, seat].mean() - payoffs.mean())
