"""The judger: what is legal, who has won, and what everyone pays."""

import numpy as np

from rlcard_big2.engine.batch import list_legal_ids, settle_games
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import NUM_PLAYERS, Games
from rlcard_kit.arrays import Int64Array


class Big2Judger:
    """Judges one game.

    Args:
        games: [1] of GAME, the game to judge.
        ruleset: the rules as the engine reads them.
    """

    def __init__(self, games: Games, ruleset: RuleTables) -> None:
        self._games = games
        self._ruleset = ruleset
        self._ids = np.empty(MAX_LEGAL, np.int64)

    def judge_legal_actions(self) -> Int64Array:
        """Return the ids of the legal actions of the seat to move, ascending, int64 [K]; none after the end.

        The next call overwrites the array.
        """
        return self._ids[: list_legal_ids(self._ruleset, self._games, self._ids)]

    def judge_winner(self) -> int | None:
        """Return the seat that has shed all its cards, or None while the game lasts."""
        winner = self._games['winner'].item()
        return winner if winner >= 0 else None

    def judge_payoffs(self) -> Int64Array:
        """Return what each seat gains, in units of one card, int64 [4]; zeros while the game lasts."""
        payoffs = np.empty((1, NUM_PLAYERS), np.int64)
        settle_games(self._ruleset, self._games, payoffs)
        return payoffs[0]
