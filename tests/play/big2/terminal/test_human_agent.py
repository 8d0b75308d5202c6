"""The human agent: prompts, output, and quitting."""

import pytest
import rlcard

from rlcard_big2.agents.base import GreedyAgent, RandomAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_play.big2.terminal.human_agent import HumanAgent
from tests.support.games import BIG2
from tests.support.terminal import Terminal

LED = ('3d', 'pass', 'pass', 'pass')


def state_after(*moves):
    """Return the state of the next seat after some moves; each seat was dealt a suit."""
    env = rlcard.make('big2')
    state, _ = env.reset(**BIG2.deal)
    for move in moves:
        state, _ = env.step(move, raw_action=True)
    return state


def choose(state, *entries):
    """Return the chosen action and the output."""
    terminal = Terminal(*entries)
    choice = HumanAgent(read=terminal.read, write=terminal.write).step(state)
    assert not terminal.entries
    return choice, terminal.shown


def test_the_position_is_shown_and_the_pass_may_be_a_letter():
    choice, shown = choose(state_after(*LED, '4d', '4c', 'pass'), ' P ')
    assert choice == 'pass'
    lines = shown[0].splitlines()
    assert '> you       13  3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As 2s' in lines
    assert '  player 1  12  hidden' in lines
    assert '  table     4c by player 1' in lines
    assert 'player 0 4d, player 1 4c, player 2 pass' in ' '.join(shown[0].split())
    assert '  pass      #12 pass' in lines


@pytest.mark.parametrize(('moves', 'entry'), [((*LED, '4d', '5c', 'pass', 'pass'), '5d'), (LED, 'pass')])
def test_after_a_wrong_entry_it_asks_again(moves, entry):
    choice, shown = choose(state_after(*moves), entry, ' qD')
    assert choice == 'Qd'
    assert entry in shown[2]


def interrupted(prompt):
    raise KeyboardInterrupt


@pytest.mark.parametrize('read', [Terminal().read, Terminal('q').read, Terminal('zz', 'Q').read, interrupted])
def test_quitting(read):
    with pytest.raises(SystemExit):
        HumanAgent(read=read, write=lambda text: None).eval_step(state_after())


def test_a_game_in_rlcard():
    env = rlcard.make('big2', config={'seed': 1})
    terminal = Terminal(*['#0'] * 200)
    human = HumanAgent(env.num_actions, read=terminal.read, write=terminal.write)
    env.set_agents([human, RandomAgent(1), RuleAgent(), GreedyAgent()])
    _, payoffs = env.run()
    assert sum(payoffs) == 0
