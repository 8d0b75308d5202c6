"""The trainers' help: flags in groups, and none that mean nothing to a command."""

import re
import shlex
from dataclasses import fields

import pytest

import dmc.cli
import dmc.config
import ppo.cli
import ppo.config
from training.config import GROUPS
from training.flags import Flags

COMMANDS = {'dmc': dmc.cli.main, 'ppo': ppo.cli.main}
CONFIGS = [dmc.config.Config, ppo.config.Config]


@pytest.fixture
def help_of(monkeypatch, capsys):
    """Return what the help of a command shows, by group."""

    def read(text, columns=100):
        monkeypatch.setenv('COLUMNS', str(columns))
        program, *rest = shlex.split(text)
        monkeypatch.setattr('sys.argv', [program, *rest, '--help'])
        with pytest.raises(SystemExit):
            COMMANDS[program]()
        said = capsys.readouterr().out
        _, *parts = re.split(r'\n (\w+)(?: options| arguments)? *\n -+ *\n', said)
        assert max(len(line) for part in parts for line in part.splitlines()) <= columns
        return {group: ' '.join(part.split()) for group, part in zip(parts[::2], parts[1::2], strict=True)}

    return read


@pytest.mark.parametrize('kind', CONFIGS)
def test_every_setting_is_in_one_group_and_has_a_text(kind):
    names = [name for group in kind.groups().values() for name in group]
    assert sorted(names) == sorted(field.name for field in fields(kind))
    flags = Flags([], kind(), ())
    assert flags.settings(flags.kind()) == kind()


@pytest.mark.parametrize('program', COMMANDS)
@pytest.mark.parametrize('columns', [80, 120])
def test_training_shows_its_flags_in_groups_and_what_presets_change(help_of, program, columns):
    shown = help_of(f'{program} train', columns)
    assert set(GROUPS) <= shown.keys()
    assert '--preset {default,paper' in shown['run']
    assert 'PAPER: rules' in shown['run']
    assert 'learning_rate 0.0001,' in shown['run'] or 'learning_rate 0.00025,' in shown['run']
    assert '--rules' in shown['game']
    assert '--hidden-size' in shown['network']
    assert '--learning-rate' in shown['learning']
    assert '--eval-deals' in shown['evaluation']


@pytest.mark.parametrize(
    ('command', 'hidden'),
    [
        ('exploit', ['--opponent', '--opponent-share', '--eval-opponents', '--prior-games']),
        (
            'bench',
            ['--savedir', '--minutes', '--frames', '--eval-deals', '--save-interval', '--deterministic'],
        ),
    ],
)
def test_a_command_shows_and_takes_only_flags_that_mean_something_to_it(help_of, monkeypatch, command, hidden):
    shown = ' '.join(help_of(f'dmc {command}').values())
    assert '--hidden-size' in shown
    assert ('--no-resume' in shown.split()) == (command == 'exploit')
    for flag in hidden:
        assert flag not in shown.split()
        monkeypatch.setattr('sys.argv', ['dmc', command, flag, '1'])
        with pytest.raises(SystemExit) as end:
            dmc.cli.main()
        assert end.value.code == 2, 'as for any flag that does not exist'


def test_flags_and_presets_make_the_settings(monkeypatch):
    seen = []
    monkeypatch.setattr(dmc.cli.Train, 'run', lambda command: seen.append(command.config))
    flags = '--preset paper --frames 5 --eval-opponents rule greedy --no-learn-forced --savedir /tmp/x --lstm-size 4'
    monkeypatch.setattr('sys.argv', ['dmc', 'train', *flags.split()])
    dmc.cli.main()
    changes = {'total_frames': 5, 'eval_opponents': ('rule', 'greedy'), 'learn_forced': False, 'lstm_size': 4}
    (config,) = seen
    expected = dmc.config.Config.preset('paper', **changes, savedir=config.savedir)
    assert config == expected
    assert str(config.savedir) == '/tmp/x'
