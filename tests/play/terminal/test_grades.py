"""Grades in the terminal: their progress, and a sentence on those that rollouts confirm."""

from io import StringIO
from types import SimpleNamespace

import pytest

from rlcard_kit.statistics import Estimate
from rlcard_play.study.review import Checked
from rlcard_play.terminal import grades
from rlcard_play.terminal.grades import checked_lines, confirm_grades

ADVISOR = SimpleNamespace(compare=lambda state, best, move: Estimate(1, 0))
RECORD = SimpleNamespace(at=lambda ply: None)
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
    monkeypatch.setattr(grades, 'PATIENCE', patience)
    assert confirm_grades(ADVISOR, RECORD, REVIEWED, lambda position: {}).confirmed == {3, 8}
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
    assert checked_lines(Checked(*map(range, counts)), 2) == [f' {sentence}']
    assert checked_lines(Checked(*map(range, (0, 0, 0))), 2) == []
