"""Figures of Catch Five: bids, the worth of dealing, and the five of trumps."""

from typing import Any

import numpy as np

from eval.counts import Figures
from rlcard_catch5.cards import NUM_RANKS
from rlcard_catch5.engine.state import NUM_PLAYERS, NUM_TEAMS
from rlcard_catch5.rules import LEAST_BID, MOST_BID
from rlcard_kit.arrays import Int64Array
from rlcard_kit.table import Turn
from rlcard_kit.vector_env import VectorEnv

FIVE = 3  # its rank
PLACES = ('first', 'second', 'third', 'dealer')


class Catch5Counter:
    """Counts the figures of N hands.

    Args:
        env: the hands, before the first move.
    """

    def __init__(self, env: VectorEnv) -> None:
        self._games = env.games

    def see(self, turn: Turn) -> None:
        """Do nothing: the state after the last card holds the auction and the tricks."""

    def figures(self, payoffs: Int64Array) -> Figures:
        """Return the figures, by table and column."""
        games, all_games = self._games, np.arange(len(self._games))
        bidder, dealer = games['bidder'].astype(np.int64), games['dealer'].astype(np.int64)
        team = bidder % NUM_TEAMS
        bids, taken = games['bids'][all_games, bidder], games['points'][all_games, team]
        made, score = taken >= bids, payoffs[all_games, bidder]
        lead = payoffs - np.roll(payoffs, 1, axis=1)
        found: dict[tuple[str, str], Any] = {
            ('the auction', 'winning bid'): (bids, 1),
            ('the auction', 'bids made'): (made, 1),
            ('the auction', "score of the bidder's team"): (score, 1),
            ('the auction', 'score of the other team'): (payoffs[all_games, bidder - 1], 1),
            ('the auction', "won by the dealer's team"): (team == dealer % NUM_TEAMS, 1),
            ('score difference', "the dealer's team"): (lead[all_games, dealer], 1),
            ('score difference', "the bidder's team"): (lead[all_games, bidder], 1),
        }
        for place, name in enumerate(PLACES):
            seat = (dealer + 1 + place) % NUM_PLAYERS
            found['passes by place', name] = games['bids'][all_games, seat] == 0, 1
            found['auctions won by place', name] = bidder == seat, 1
        for bid in range(LEAST_BID, MOST_BID + 1):
            won = bids == bid
            found['hands by winning bid', f'{bid}'] = won, 1
            found['bids made', f'{bid}'] = made & won, won
            found["points of the bidder's team by bid", f'{bid}'] = taken * won, won
            found["score of the bidder's team by bid", f'{bid}'] = score * won, won
        return found | self._five_of_trumps(team, made)

    def _five_of_trumps(self, team: Int64Array, made: Any) -> dict[tuple[str, str], Any]:
        games, all_games = self._games, np.arange(len(self._games))
        five = games['trump'].astype(np.int64) * NUM_RANKS + FIVE
        place = (games['order'] == five[:, None]).argmax(axis=1)  # it is always dealt and played
        holds = (games['played'] >> five[:, None] & 1).argmax(axis=1) % NUM_TEAMS == team
        takes = games['winners'][all_games, place // NUM_PLAYERS] % NUM_TEAMS == team
        columns = {
            "held by the bidder's team": (holds, 1),
            "taken by the bidder's team": (takes, 1),
            'taken from the team that held it': (takes != holds, 1),
            'bids made with it': (made & takes, takes),
            'bids made without it': (made & ~takes, ~takes),
        }
        return {('the five of trumps', name): figure for name, figure in columns.items()}
