"""The live display of a run: whatever it shows, it shows whole in a terminal of 80 columns, or of 40."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

import training.display
from eval.points import Point
from ppo.learner import FIGURES
from rlcard_kit.statistics import Estimate
from training.checkpoint import Counters
from training.display import Display
from training.progress import Progress

MEASURED = {
    'dmc': {'loss': 12.3456, 'queue': 0.123, 'learning_rate': 0.000123456},
    'ppo': {**dict.fromkeys(FIGURES, -1.23456e-05), 'learning_rate': 0.000123456},
}


@pytest.mark.parametrize('width', [80, 40])
@pytest.mark.parametrize('program', ['dmc', 'ppo'])
def test_everything_is_shown_whole(monkeypatch, program, width):
    out = io.StringIO()
    console = Console(file=out, width=width, height=90, force_terminal=True, color_system=None, emoji=False)
    monkeypatch.setattr(training.display, 'new_console', lambda: console)
    title = 'saved in runs/[bold]-and-a-long-name-of-a-folder-that-takes-more-than-a-line/of-80-columns'
    progress = Progress(Counters(1_234_567_890, 123_456_789, 7_300_000.0), np.zeros((0, 2)))
    opponent = 'published-ppo:/home/someone/a/long/path/to/[the]/parameters/file.joblib'
    latest = {opponent: Point(1.0, 1_234_567_890, opponent, 1000, Estimate(0.25, 0.012), Estimate(-12.34, 10.01))}
    with Display(title, 'three') as display:
        display.show(progress, MEASURED[program], latest)
    said = re.sub(r'\x1b\[\?\d+[hl]', '', out.getvalue())
    assert '…' not in said
    assert max(map(len, said.splitlines())) <= width
    whole = ''.join(said.split()).replace('│', '')
    for name in MEASURED[program]:
        assert name.replace('_', '') in whole
    for text in ('1,234,567,890', '123,456,789', title.split()[-1]):
        assert text in whole
    if width == 80:  # in 40, the cells of matches take several lines
        assert all(text in whole for text in ('0.250±0.012', '-12.34±10.01'))
        assert ''.join(opponent.split('/')[:2]) in whole.replace('/', '')


def test_without_a_terminal_points_are_lines(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(training.display, 'new_console', lambda: Console(file=out, width=80))
    with Display('', 'three') as display:
        display.report_points([Point(1.0, 1000, 'rule', 1000, Estimate(0.25, 0.012), Estimate(-2.34, 0.1))])
    said = 'after 1,000 frames, against three of rule: EV -2.34 ± 0.10, WP 0.250 ± 0.012\n'
    assert out.getvalue() == said
