"""Text for the terminal."""

from types import SimpleNamespace

import pytest

from rlcard_big2.rules import Rules
from rlcard_big2.terminal.formatting import Style, fold, move_lines, warning_lines


@pytest.mark.parametrize(
    ('is_terminal', 'encoding', 'variables', 'symbols', 'colour'),
    [
        (True, 'utf-8', {}, True, True),
        (True, 'utf-8', {'NO_COLOR': '1'}, True, False),
        (True, 'utf-8', {'TERM': 'dumb'}, False, False),
        (True, 'ascii', {}, False, False),
        (False, 'utf-8', {}, False, False),
    ],
)
def test_a_style_uses_what_the_stream_can_show(monkeypatch, is_terminal, encoding, variables, symbols, colour):
    for name, value in {'TERM': 'xterm', 'NO_COLOR': '', **variables}.items():
        monkeypatch.setenv(name, value)
    assert Style.of(SimpleNamespace(isatty=lambda: is_terminal, encoding=encoding))[1:] == (symbols, colour)


def test_colour_is_added_to_cards_only():
    style = Style(100, symbols=True, colour=True)
    assert style.paint(' 10♦ A♠ 4') == ' \x1b[34m10♦\x1b[0m \x1b[1mA♠\x1b[0m 4'
    assert Style(100, symbols=True).paint('10♦') == '10♦'


def test_equal_straights_are_folded():
    legal = ['3d 4d 5d 6d 7c', '3d 4d 5d 6d 7h', '3d 4d 5d 6h 7c', '9d 9c', '9d 9h', 'pass']
    assert fold(legal) == {0: ('3d 4d 5d 6d 7c', 2), 3: ('9d 9c', 0), 4: ('9d 9h', 0), 5: ('pass', 0)}
    folded = move_lines(legal, Rules(), Style(), folded=True)
    assert folded == [' pairs: #3 9d 9c  #4 9d 9h', ' straights: #0 3d 4d 5d 6d 7c (+2)', ' pass: #5 pass']
    assert '(+' not in ''.join(move_lines(legal, Rules(), Style(), folded=False))


def test_opponents_with_one_card_are_named():
    names = ('you', 'next', 'across', 'previous')
    assert warning_lines([1, 2, 3, 4], names) == []
    for left, named in (([5, 1, 3, 4], {'next'}), ([5, 1, 3, 1], {'next', 'previous'})):
        assert {name for name in names if name in warning_lines(left, names)[0]} == named
