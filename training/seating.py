"""The seats of games to learn from."""

from collections.abc import Sequence

import numpy as np

from rlcard_kit.arrays import BoolArray, Int64Array

TRAINED, OPPONENT = 0, 1  # players of a table at which something is trained


def seat_trained(alone: BoolArray, teams: Sequence[Sequence[int]]) -> Int64Array:
    """Return the player in each seat of games to learn from, int64 [N, seats]: TRAINED or OPPONENT.

    Args:
        alone: bool [N], the games with a single trained team: in game i that is team i % teams. In all other games
            every seat is trained.
        teams: of the game, see `CardGame.teams`.
    """
    in_team = np.ones((len(teams), sum(map(len, teams))), np.bool_)
    for number, seats in enumerate(teams):
        in_team[number] = np.isin(np.arange(in_team.shape[1]), seats)
    is_trained = ~alone[:, None] | in_team[np.arange(len(alone)) % len(teams)]
    return np.where(is_trained, TRAINED, OPPONENT)
