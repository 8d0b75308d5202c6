"""Text for the terminal."""

from types import SimpleNamespace

import pytest

from rlcard_play.terminal.style import Style


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
