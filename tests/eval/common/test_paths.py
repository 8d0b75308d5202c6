"""`~` is the home folder in every option that is a path, also where a shell leaves it as it is."""

import json
from argparse import ArgumentParser
from pathlib import Path
from types import SimpleNamespace

import pytest

import dmc.cli
import eval.cli
import ppo.cli
from dmc.config import Config
from rlcard_big2.rules import find_rules
from rlcard_kit.errors import RulesError
from rlcard_kit.files import user_path
from rlcard_play.cli import add_commands
from rlcard_play.terminal.reports import read_games
from training.checkpoint import init_weights

LINES = [
    (dmc.cli.main, 'dmc.cli.Train.run', 'train --savedir=~/one'),
    (ppo.cli.main, 'ppo.cli.Train.run', 'train --savedir ~/one'),
    (dmc.cli.main, 'training.export.Export.run', 'export ~/one ~/two --average-with ~/three ~/four'),
    (dmc.cli.main, 'dmc.big2.self_play.SelfPlay.run', 'distil ~/one'),
    (
        eval.cli.main,
        'eval.commands.match.match_command',
        'match random rule --out=~/one --record=~/two --deals-file=~/three --save-deals ~/four',
    ),
    (eval.cli.main, 'eval.commands.curve.curve_command', 'curve ~/one ~/two --out=~/three'),
    (eval.cli.main, 'eval.commands.ladder.ladder_command', 'ladder ~/one'),
    (eval.cli.main, 'eval.commands.decisions.decisions_command', 'decisions rule ~/one'),
]


def paths_in(value):
    """Return the paths in an object and in what it holds."""
    if isinstance(value, Path):
        return {value}
    parts = value if isinstance(value, tuple) else vars(value).values() if hasattr(value, '__dict__') else ()
    return {path for part in parts for path in paths_in(part)}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv('HOME', str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(('main', 'run', 'line'), LINES, ids=[line for *_, line in LINES])
def test_options_of_commands_that_are_run(home, monkeypatch, main, run, line):
    called = []
    monkeypatch.setattr(run, lambda *arguments: called.append(arguments))
    monkeypatch.setattr('sys.argv', ['program', *line.split()])
    main()
    wanted = {home / name for name in ('one', 'two', 'three', 'four') if f'~/{name}' in line}
    assert wanted <= paths_in(called[0])
    assert not any('~' in path.parts for path in paths_in(called[0]))


@pytest.mark.parametrize('line', ['play --record=~/one', 'clone --save ~/one', 'serve --data=~/one'])
def test_options_of_the_terminal(home, line):
    assert home / 'one' in paths_in(add_commands(ArgumentParser(), 'big2').parse_args(line.split()))


def test_files_that_texts_name(home):
    (home / 'rules.json').write_text(json.dumps(find_rules('hong-kong-3').fields()))
    assert find_rules('~/rules.json').players == 3
    with pytest.raises(RulesError, match='Could not determine home'):
        find_rules('~nobody-of-that-name/rules.json')
    with pytest.raises(OSError, match=f'{home}/none'):
        read_games('~/none', SimpleNamespace(read=Path.read_bytes))
    with pytest.raises(ValueError, match=f'start_from={home}/none: '):
        init_weights(Config.of(start_from='~/none').run, Config().find_game(), 'dmc', None)
    assert user_path('a/~/b') == Path('a/~/b')
