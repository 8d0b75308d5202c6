"""The human agent: prompts, output, and quitting."""

import pytest
import rlcard

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.cards import parse_cards
from rlcard_big2.terminal.human_agent import HumanAgent


class Terminal:
    """A scripted terminal: `read` returns its lines one by one, then raises EOFError."""

    def __init__(self, *entries):
        self.entries = list(entries)
        self.shown = []

    def read(self, prompt):
        self.shown.append(prompt)
        if not self.entries:
            raise EOFError
        return self.entries.pop(0)

    def write(self, text):
        self.shown.append(text)


HANDS = [
    parse_cards('3d 4s 6h 7d 7h 7s Td Jd Qs Ah As 2c 2s'),
    parse_cards('3c 3h 3s 4d 4c 4h 5d 5c 5h 5s 6d 6c 6s'),
    parse_cards('7c 8d 8c 8h 8s 9d 9c 9h 9s Tc Th Ts Jc'),
    parse_cards('Jh Js Qd Qc Qh Kd Kc Kh Ks Ad Ac 2d 2h'),
]
LED = ('3d', 'pass', 'pass', 'pass')


def state_after(*moves):
    """Return the state of the next seat after some moves."""
    env = rlcard.make('big2', config={'seed': 0})
    state, _ = env.reset(hands=[[card for card in range(52) if hand >> card & 1] for hand in HANDS])
    for move in moves:
        state, _ = env.step(move, raw_action=True)
    return state


def choose(state, *entries):
    """Return the chosen action and the output."""
    terminal = Terminal(*entries)
    choice = HumanAgent(read=terminal.read, write=terminal.write).step(state)
    assert not terminal.entries
    return choice, terminal.shown


def test_entries_may_have_spaces_and_capitals():
    assert choose(state_after(*LED), '  as  AH ')[0] == 'Ah As'
    assert choose(state_after('3d'), ' P ')[0] == 'pass'


def test_the_position_is_shown():
    _, shown = choose(state_after(*LED, '4s', '5d', 'pass', 'Jh'), 'Qs')
    lines = shown[0].splitlines()
    assert '> you       11  6h 7d 7h 7s Td Jd Qs Ah As 2c 2s' in lines
    assert '  player 1  12  hidden' in lines
    assert '  table     Jh by player 3' in lines
    assert '  passed    player 2' in lines
    assert 'you 4s, player 1 5d, player 2 pass, player 3 Jh' in ' '.join(shown[0].split())
    assert '  singles   #0 Qs, #1 Ah, #2 As, #3 2c, #4 2s' in lines
    assert '  pass      #5 pass' in lines


@pytest.mark.parametrize(('moves', 'entry'), [((*LED, '4s', 'pass', 'pass', 'Jh'), '7d'), (LED, 'pass')])
def test_after_a_wrong_entry_it_asks_again(moves, entry):
    choice, shown = choose(state_after(*moves), entry, 'qs')
    assert choice == 'Qs'
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
