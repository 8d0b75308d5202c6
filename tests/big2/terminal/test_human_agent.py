"""The human agent: entries and output."""

from typing import Any

import pytest
import rlcard

import rlcard_big2  # noqa: F401  # registers 'big2'
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.cards import parse_cards
from rlcard_big2.rules import PRESETS
from rlcard_big2.terminal.human_agent import HumanAgent


class Terminal:
    """A terminal with a script: `read` gives its lines one by one, then the end of input."""

    def __init__(self, *entries: str) -> None:
        self.entries = list(entries)
        self.shown: list[str] = []

    def read(self, prompt: str) -> str:
        self.shown.append(prompt)
        if not self.entries:
            raise EOFError
        return self.entries.pop(0)

    def write(self, text: str) -> None:
        self.shown.append(text)


HANDS = [
    parse_cards('3d 4s 6h 7d 7h 7s Td Jd Qs Ah As 2c 2s'),
    parse_cards('3c 3h 3s 4d 4c 4h 5d 5c 5h 5s 6d 6c 6s'),
    parse_cards('7c 8d 8c 8h 8s 9d 9c 9h 9s Tc Th Ts Jc'),
    parse_cards('Jh Js Qd Qc Qh Kd Kc Kh Ks Ad Ac 2d 2h'),
]


def at_the_table(*moves: str) -> dict[str, Any]:
    """Return the state of the next to move after some moves."""
    env = rlcard.make('big2', config={'seed': 0})
    state, _ = env.reset(hands=[[card for card in range(52) if hand >> card & 1] for hand in HANDS])
    for move in moves:
        state, _ = env.step(move, raw_action=True)
    return dict(state)


def human_choice(state: dict[str, Any], *entries: str) -> tuple[str, list[str]]:
    terminal = Terminal(*entries)
    choice = HumanAgent(read=terminal.read, write=terminal.write).step(state)
    assert not terminal.entries
    return choice, terminal.shown


LED = ('3d', 'pass', 'pass', 'pass')


@pytest.mark.parametrize(
    ('entry', 'choice'),
    [
        ('#0', '4s'),
        (' #1 ', '6h'),
        ('7S 7d', '7d 7s'),
        ('  as  AH ', 'Ah As'),
        ('10d', 'Td'),
        ('as ah 7s 7d 7h', '7d 7h 7s Ah As'),
    ],
)
def test_human_entries(entry: str, choice: str) -> None:
    assert human_choice(at_the_table(*LED), entry)[0] == choice


@pytest.mark.parametrize('entry', ['pass', 'P', ' p '])
def test_human_passes(entry: str) -> None:
    assert human_choice(at_the_table('3d'), entry)[0] == 'pass'


def test_human_sees_the_table() -> None:
    state = at_the_table(*LED, '4s', '5d', 'pass', 'Jh')
    _, shown = human_choice(state, 'Qs')
    lines = shown[0].splitlines()
    assert '> you       11  6h 7d 7h 7s Td Jd Qs Ah As 2c 2s' in lines
    assert '  player 1  12  hidden' in lines
    assert '  table     Jh by player 3' in lines
    assert '  passed    player 2' in lines
    assert 'you 4s, player 1 5d, player 2 pass, player 3 Jh' in ' '.join(shown[0].split())
    assert '  singles   #0 Qs, #1 Ah, #2 As, #3 2c, #4 2s' in lines
    assert '  pass      #5 pass' in lines


@pytest.mark.parametrize(
    ('entry', 'datum'),
    [
        ('#99', '#99'),
        ('#' + '9' * 5000, '#0 to #5'),
        ('#', '#0 to #5'),
        ('#-1', '#0 to #5'),
        ('4', "'4'"),
        ('10', "'t'"),
        ('-1', "'-1'"),
        ('', 'Nothing'),
        ('4x', "'4x'"),
        ('2s kh', 'Kh'),
        ('7d', '7d cannot'),
        ('2c 2s', '2c 2s cannot'),
    ],
)
def test_human_is_asked_again_after(entry: str, datum: str) -> None:
    state = at_the_table(*LED, '4s', 'pass', 'pass', 'Jh')
    choice, shown = human_choice(state, entry, 'qs')
    assert choice == 'Qs'
    assert datum in shown[2]


def test_human_may_not_pass_with_control() -> None:
    choice, shown = human_choice(at_the_table(*LED), 'pass', '4s')
    assert choice == '4s'
    assert 'pass' in shown[2]


@pytest.mark.parametrize('entries', [(), ('q',), ('zz', 'Q')])
def test_human_leaves(entries: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit):
        human_choice(at_the_table(), *entries)


def test_human_leaves_at_ctrl_c() -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit):
        HumanAgent(read=interrupted, write=lambda text: None).eval_step(at_the_table())


def test_human_plays_a_game_in_rlcard() -> None:
    env = rlcard.make('big2', config={'seed': 1})
    terminal = Terminal(*['#0'] * 200)
    env.set_agents(
        [
            HumanAgent(env.num_actions, read=terminal.read, write=terminal.write),
            RandomAgent(1),
            RuleAgent(),
            GreedyAgent(),
        ]
    )
    _, payoffs = env.run()
    assert sum(payoffs) == 0


@pytest.mark.parametrize('entry', ['2', '3', '4', '7', '8', '9', '10', '0', '12', 't', 'a'])
def test_a_number_alone_never_plays_an_entry_of_the_list(entry: str) -> None:
    state = at_the_table(*LED)
    assert len(state['raw_legal_actions']) > 12
    choice, shown = human_choice(state, entry, '4s')
    assert choice == '4s'
    assert 'not a card' in shown[2]


@pytest.mark.parametrize('rules', PRESETS)
def test_human_can_enter_every_legal_action(rules: str) -> None:
    """Whatever the order of suits, an action's cards name it and no other."""
    env = rlcard.make('big2', config={'seed': 2, 'game_rules': rules})
    agent, (state, _) = RandomAgent(3), env.reset()
    while not env.is_over():
        for text in state['raw_legal_actions'][:40]:
            entry = ' '.join(reversed(text.upper().split()))
            assert HumanAgent(read=Terminal(entry).read, write=lambda text: None).eval_step(state) == (text, {})
        state, _ = env.step(agent.step(state))
