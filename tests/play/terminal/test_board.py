"""Boards: entries of moves, the progress of grades, and a sentence on those that rollouts confirm."""

from io import StringIO
from types import SimpleNamespace

import pytest

from rlcard_play.big2.terminal.board import BOARD as BIG2
from rlcard_play.catch5.terminal.board import BOARD as CATCH5
from rlcard_play.study.protocols import Loss
from rlcard_play.study.review import Checked, new_env
from rlcard_play.terminal import board as board_module
from rlcard_play.terminal.board import Board

ANY_BOARD = SimpleNamespace(game=SimpleNamespace(open_position=lambda position: {}), grades='grades')
ADVISOR = SimpleNamespace(compare=lambda state, best, move: Loss(1, 0))
RECORD = SimpleNamespace(at=lambda ply: None, rules=None)
REVIEWED = [SimpleNamespace(ply=ply, move='pass', best=SimpleNamespace(move='3d')) for ply in (3, 8)]


class Stream(StringIO):
    """An error stream."""

    def __init__(self, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


@pytest.mark.parametrize(('is_terminal', 'patience'), [(True, -1), (True, 99), (False, -1)])
def test_only_a_terminal_shows_progress_of_long_checks(monkeypatch, is_terminal, patience):
    stream = Stream(is_terminal)
    monkeypatch.setattr('sys.stderr', stream)
    monkeypatch.setattr(board_module, 'PATIENCE', patience)
    assert Board.confirm(ANY_BOARD, ADVISOR, RECORD, REVIEWED).confirmed == {3, 8}
    lines = [line.strip() for line in stream.getvalue().split('\r') if line.strip()]
    shown = is_terminal and patience < 0
    assert lines == (['Rollouts check move 1 of 2', 'Rollouts check move 2 of 2'] if shown else [])
    assert stream.getvalue().endswith('\r') == shown  # the line is cleared


@pytest.mark.parametrize(
    ('counts', 'sentence'),
    [
        ((3, 0, 0), 'Rollouts confirm 3 of 3 grades.'),
        ((1, 2, 0), 'Rollouts confirm 1 of 3 grades and withdraw the others.'),
        ((1, 0, 4), 'Rollouts confirm 1 of 1 grades; 4 were not checked within 2 s.'),
    ],
)
def test_a_sentence_counts_the_grades(counts, sentence):
    assert Board.checked_lines(ANY_BOARD, Checked(*map(range, counts)), 2) == [f' {sentence}']
    assert Board.checked_lines(ANY_BOARD, Checked((), (), ())) == []
    assert Board.checked_lines(ANY_BOARD, Checked((), (), {3}, 'No rollouts.')) == [' No rollouts.']


PLAYS = ['4s', '6h', 'Td', 'Tc', 'Td Tc', 'Td Ts', 'Ah As', '7d 7h 7s Ah As', 'pass']
BIDS = ['pass', 'bid 5', 'bid 6', 'bid 9']
STUCK = BIDS[1:]
SUITS = ['trump C', 'trump D', 'trump H', 'trump S']
CARDS = ['5h', 'Th', 'Ah']
SEEN = {
    BIG2: {'current_hand': '4s 6h 7d Td Tc Ts Ah As 2c 2s', 'hand_to_beat': 'Jh'},
    CATCH5: {'current_hand': '2c 5h Th Ah', 'trick': ['', '', '', 'Kh'], 'leader': 3},
}


@pytest.mark.parametrize(
    ('board', 'legal', 'entry', 'move'),
    [
        *((BIG2, PLAYS, entry, move) for entry, move in (
            ('#0', '4s'), ('#1', '6h'), ('as  ah', 'Ah As'), ('as ah 7s 7d 7h', '7d 7h 7s Ah As'), ('10d', 'Td'),
            ('10♦ 10♠', 'Td Ts'), ('tdts', 'Td Ts'), ('10♠10♦', 'Td Ts'), ('t♦\ufe0f ts', 'Td Ts'),
            ('pass', 'pass'), ('p', 'pass'),
        )),
        *((CATCH5, BIDS, entry, move) for entry, move in (
            ('p', 'pass'), ('pass', 'pass'), ('5', 'bid 5'), ('bid 9', 'bid 9'), ('#2', 'bid 6'),
        )),
        *((CATCH5, SUITS, entry, move) for entry, move in (
            ('h', 'trump H'), ('spades', 'trump S'), ('♦', 'trump D'), ('trump c', 'trump C'),
        )),
        *((CATCH5, CARDS, entry, move) for entry, move in (
            ('5h', '5h'), ('10h', 'Th'), ('t ♥\ufe0f', 'Th'), ('#0', '5h'),
        )),
    ],
)  # fmt: skip
def test_moves_in_any_form_and_numbers(board, legal, entry, move):
    assert legal[board.find(entry, legal)] == move


@pytest.mark.parametrize(
    ('board', 'legal', 'entry', 'datum'),
    [
        *((BIG2, PLAYS, entry, datum) for entry, datum in (
            ('#99', '#99'), ('#' + '9' * 5000, '#8'), ('#', '#8'), ('#-1', '#8'), ('4', "'4'"), ('10', "'t'"),
            ('12', "'12'"), ('-1', "'-1'"), ('4x', "'4x'"), ('a', "'a'"), ('', 'Nothing'), ('2s kh', 'Kh'),
            ('7d', '7d'), ('2c 2s', 'on Jh'),
        )),
        *((CATCH5, BIDS, entry, datum) for entry, datum in (
            ('', 'Nothing'), ('#9', '#9'), ('4', 'from 5 to 9'), ('10', "'10'"), ('5h', "'5h'"),
        )),
        (CATCH5, STUCK, 'p', 'cannot pass'), (CATCH5, ['bid 7'], '8', 'bid 7'), (CATCH5, SUITS, 'x', "'x'"),
        *((CATCH5, CARDS, entry, datum) for entry, datum in (
            ('h', "'h'"), ('12', "'12'"), ('kh', 'Kh'), ('2c', 'follow Kh'),
        )),
    ],
)  # fmt: skip
def test_other_entries_are_explained(board, legal, entry, datum):
    assert board.find(entry, legal) is None
    state = {'raw_obs': {**SEEN[board], 'actions': legal}, 'raw_legal_actions': legal}
    assert datum in board.explain(entry, state)


@pytest.mark.parametrize(
    ('board', 'rules'),
    [(board, rules) for board in (BIG2, CATCH5) for rules in board.game.rules.presets().values()],
    ids=lambda value: getattr(value, 'name', None),
)
def test_every_legal_action_can_be_entered(board, rules):
    """In any order of suits, an action's cards name it and no other."""
    env, agent = new_env(board.game.key, rules), board.game.make_agent('random', rules)
    state, _ = env.reset()
    while not env.is_over():
        legal = state['raw_legal_actions']
        for number, text in enumerate(legal[:40]):
            words = text.lower().split()
            assert board.find(' '.join(words if board is CATCH5 else reversed(words)), legal) == number
        state, _ = env.step(agent.step(state))
