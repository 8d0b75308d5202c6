"""Steps of a command that take a while."""

import time

import common.steps
from common.steps import step
from tests.support.limits import wait_until


def test_a_step_is_named_at_once(capsys):
    with step('compiling'):
        assert capsys.readouterr().err == 'compiling\n'


def test_a_step_is_named_again_and_again_until_its_end(monkeypatch, capsys):
    monkeypatch.setattr(common.steps, 'SECONDS', 0.05)
    said = []
    with step('compiling'):
        wait_until(lambda: said.append(capsys.readouterr().err) or ''.join(said).count('compiling: ') >= 2)
    capsys.readouterr()
    time.sleep(0.2)
    assert capsys.readouterr().err == ''


def test_a_short_step_may_be_silent(capsys):
    with step('importing', at_once=False):
        pass
    assert capsys.readouterr().err == ''
