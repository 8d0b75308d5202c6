"""Files of the Coders for Causes contest."""

import pytest

from rlcard_big2.duplicate import play_match
from rlcard_big2.registry import AgentNameError, make_agent, weights_file
from tests.kit.programs.test_agent import Replacement

# Plays its lowest card if it leads, else passes; checks its state, and counts its moves in the text that it keeps.
ALGORITHM = """
from classes import *

print('which is not an answer')


class Algorithm:
    def getAction(self, state: MatchState):
        print('nor is this')
        game = state.matchHistory[-1]
        assert (len(state.matchHistory), game.finished, game.winnerPlayerNum) == (1, False, -1)
        tricks = [trick for tricks in game.gameHistory for trick in tricks]
        own = [trick for trick in tricks if trick.playerNum == state.myPlayerNum]
        played = [sum(len(trick.cards) for trick in tricks if trick.playerNum == seat) for seat in range(4)]
        assert [13 - cards for cards in played] == [player.handSize for player in state.players]
        assert len(state.myHand) == state.players[state.myPlayerNum].handSize
        assert state.myData == ('x' * len(own))
        assert all(tricks[0].cards for tricks in game.gameHistory)
        assert all(trick.cards == [] for tricks in game.gameHistory[:-1] for trick in tricks[-3:])
        is_lead = all(trick.cards == [] for trick in tricks[-3:])
        assert state.toBeat is (None if is_lead else [trick for trick in tricks if trick.cards][-1])
        action = [] if state.toBeat else state.myHand[:1]
        return action, state.myData + 'x'
"""


@pytest.fixture
def algorithm(tmp_path):
    file = tmp_path / 'algorithm.py'
    file.write_text(ALGORITHM)
    return file


def test_a_file_of_the_contest_plays_as_it_is(algorithm):
    rules = 'coders-for-causes'
    match = play_match(make_agent(f'coders:{algorithm}', rules), 'greedy', 3, rules, seed=1)
    assert match.notes == ()
    assert match.payoffs.tolist() == play_match(Replacement(), 'greedy', 3, rules, seed=1).payoffs.tolist()
    assert weights_file(f'coders:{algorithm},seconds=1') == algorithm


def test_other_rules_and_errors_of_a_file_are_reported(algorithm):
    algorithm.write_text(ALGORITHM.replace('action = []', 'action = 1 / 0'))
    with pytest.warns(UserWarning, match='ZeroDivisionError'):
        match = play_match(f'coders:{algorithm}', 'greedy', 2, 'taiwan', seed=1)
    trained, fault = match.notes
    assert trained.endswith('it knows coders-for-causes')
    assert ': error, ' in fault


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(AgentNameError, match='no-such-file'):
        make_agent(f'coders:{tmp_path}/no-such-file.py')
