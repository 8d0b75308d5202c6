"""The judger: what is legal, who has won, and what everyone scores."""

import numpy as np

from rlcard_catch5.engine.batch import list_legal, settle_games
from rlcard_catch5.engine.play import MAX_LEGAL
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import NUM_PLAYERS, NUM_PLIES, Games
from rlcard_kit.arrays import Int64Array


class Catch5Judger:
    """Judges one game.

    Args:
        games: [1] of GAME, the game to judge.
        ruleset: the rules as the engine reads them.
    """

    def __init__(self, games: Games, ruleset: RuleTables) -> None:
        self._games = games
        self._ruleset = ruleset
        self._ids, self._offsets = np.empty(MAX_LEGAL, np.int64), np.empty(2, np.int64)

    def judge_legal_actions(self) -> Int64Array:
        """Return the ids of the legal actions of the seat to move, ascending, int64 [K]; none after the end.

        The next call overwrites the array.
        """
        return self._ids[: list_legal(self._ruleset, self._games, self._ids, self._offsets)]

    def judge_winners(self) -> tuple[int, ...]:
        """Return the seats of the team with the higher score; none while the game lasts."""
        payoffs = self.judge_payoffs().tolist()
        if self._games['ply'].item() < NUM_PLIES:
            return ()
        return (0, 2) if payoffs[0] > payoffs[1] else (1, 3)

    def judge_payoffs(self) -> Int64Array:
        """Return what each seat's team scores, int64 [4]; zeros while the game lasts."""
        payoffs = np.empty((1, NUM_PLAYERS), np.int64)
        settle_games(self._ruleset, self._games, payoffs)
        return payoffs[0]
