"""Steps of a command that take a while."""

import time

import common.steps
from common.steps import step


def test_a_step_is_named_at_once_and_then_again_and_again(monkeypatch, capsys):
    monkeypatch.setattr(common.steps, 'SECONDS', 0.05)
    with step('compiling'):
        assert capsys.readouterr().err.startswith('compiling\n')
        time.sleep(0.5)
    assert capsys.readouterr().err.count('compiling: ') >= 2


def test_a_short_step_may_be_silent(capsys):
    with step('importing', at_once=False):
        pass
    assert capsys.readouterr().err == ''
