"""Matches as one list of blocks: their numbers, and agents that differ in another process, or later."""

from dataclasses import replace

import pytest

from dmc.config import Config
from eval.ladder.matches import Series, SeriesPlayers
from eval.plan import ChangedAgentError, Plan
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.rules import Rules
from tests.support.helpers import SMALL_SPEC
from tests.support.training import save_network

SERIES = Series(
    [
        Plan(agents, BIG2.seatings(0, 1), Rules(), deals_from_seed(0, 70), 0)
        for agents in (('greedy', 'random'), ('greedy', 'rule'))
    ]
)


def test_blocks_are_numbered_through_all_matches():
    assert [SERIES.locate(number) for number in range(SERIES.num_blocks)] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert SERIES.deals_of(3) == 'deals 64 to 127 of greedy and rule'


def test_agents_that_differ_are_named_when_their_match_is_played():
    expected = {'weights': dict.fromkeys(('greedy', 'random'), 'none') | {'rule': 'other'}, 'agent_sources': {}}
    players = SeriesPlayers(SERIES, {Rules().text: expected})
    assert len(players.play(1).plies) == 6
    with pytest.raises(ChangedAgentError, match="'rule' has other weights"):
        players.play(2)


def test_a_network_that_changes_is_named_when_its_agent_is_made_again(tmp_path):
    folder = tmp_path / 'run'
    save_network(folder, Config.of(hidden_size=16, lstm_size=8), ValueNetwork(SMALL_SPEC), 100)
    name = f'dmc:{folder}'
    plan = replace(SERIES.plans[0], agents=('greedy', name), deals=SERIES.plans[0].deals[:2])
    players = SeriesPlayers(Series([plan, plan]))
    players.describe([plan])
    players.play(0)
    save_network(folder, Config.of(hidden_size=16, lstm_size=8), ValueNetwork(SMALL_SPEC), 200)
    with pytest.raises(ChangedAgentError, match=name):
        players.play(1)
