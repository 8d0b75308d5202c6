"""Matches as one list of blocks: their numbers, and agents that differ on a node."""

import pytest

from common.ray_cluster import ClusterError
from eval.ladder.series import Series, SeriesPlayers
from eval.plan import Plan
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import Rules

SERIES = Series(
    [
        Plan(agents, BIG2.seatings(0, 1), Rules(), deals_from_seed(0, 70), 0)
        for agents in (('greedy', 'random'), ('greedy', 'rule'))
    ]
)


def test_blocks_are_numbered_through_all_matches():
    assert [SERIES.locate(number) for number in range(SERIES.num_blocks)] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert SERIES.deals_of(3) == 'deals 64 to 127 of greedy and rule'


def test_agents_of_a_node_that_differ_are_named_when_their_match_is_played():
    (described,) = SeriesPlayers(SERIES).describe(SERIES.plans[1:])
    other = {**described.agents, 'weights': {'greedy': 'none', 'rule': 'other'}}
    players = SeriesPlayers(SERIES, [{'weights': {'greedy': 'none', 'random': 'none'}}, other])
    assert len(players.play(1).plies) == 6
    with pytest.raises(ClusterError, match="'rule'"):
        players.play(2)
