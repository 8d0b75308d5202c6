"""`puzzle` in the terminal: positions are asked, judged and counted."""

import re

import pytest

from rlcard_play.cli import big2, catch5
from rlcard_play.games import GAMES
from rlcard_play.study.puzzles import choose_puzzles, read_puzzles


def asked(main, capsys, monkeypatch, entries, *words):
    """Return what the command writes."""
    left = iter(entries)
    monkeypatch.setattr('builtins.input', lambda prompt: next(left))
    with pytest.raises(SystemExit) as ended:
        main(['puzzle', '--seed', '1', *words])
    return ended.value.code, capsys.readouterr().out


@pytest.mark.parametrize(('main', 'key', 'theme'), [(big2, 'big2', 'endgame'), (catch5, 'catch5', 'bid')])
def test_puzzles_of_a_theme_are_asked_judged_and_counted(capsys, monkeypatch, main, key, theme):
    status, text = asked(main, capsys, monkeypatch, ['zz', '#0', '', 'q'], '--theme', theme, '--difficulty', 'easy')
    game = GAMES[key]
    count = len(choose_puzzles(read_puzzles(game.puzzles, game.records).values(), theme, 'easy'))
    assert status == 0
    assert re.findall(r'Puzzle (\d+) of (\d+): easy', text) == [('1', str(count)), ('2', str(count))]
    assert "'zz' is not a" in text
    assert len(re.findall('Right!|Not the best move', text)) == 1
    assert re.search('[01] of 1 right', text)


def test_an_unknown_theme_or_difficulty_lists_those_that_exist(capsys, monkeypatch):
    assert 'choose from break, control, endgame, pass, win' in asked(big2, capsys, monkeypatch, [], '--theme', 'x')[0]
    assert 'choose from easy, medium, hard' in asked(big2, capsys, monkeypatch, [], '--difficulty', 'x')[0]
