"""Text for the terminal."""

import pytest

from rlcard_big2.rules import Rules
from rlcard_play.big2.terminal.board import fold, move_lines, warning_lines
from rlcard_play.terminal.style import Style


def test_equal_straights_are_folded():
    legal = ['3d 4d 5d 6d 7c', '3d 4d 5d 6d 7h', '3d 4d 5d 6h 7c', '9d 9c', '9d 9h', 'pass']
    assert fold(legal) == {0: ('3d 4d 5d 6d 7c', 2), 3: ('9d 9c', 0), 4: ('9d 9h', 0), 5: ('pass', 0)}
    folded = move_lines(legal, Rules(), Style(), folded=True)
    assert folded == [' pairs: #3 9d 9c  #4 9d 9h', ' straights: #0 3d 4d 5d 6d 7c (+2)', ' pass: #5 pass']
    assert '(+' not in ''.join(move_lines(legal, Rules(), Style(), folded=False))


@pytest.mark.parametrize(
    ('left', 'named'),
    [
        ([5, 1, 3, 4], 'next has'),
        ([5, 1, 3, 1], 'next and previous have'),
        ([3, 1, 1, 1], 'next, across and previous have'),
    ],
)
def test_opponents_with_one_card_are_named(left, named):
    names = ('you', 'next', 'across', 'previous')
    assert warning_lines(left, names) == [f' Careful: {named} one card left.']
    assert warning_lines([1, *[2] * 3], names) == []
