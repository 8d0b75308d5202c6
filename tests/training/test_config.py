"""The trainers' help: flags in groups, and none that mean nothing to a command."""

import re
import shlex
from dataclasses import fields

import pytest

import dmc.cli
import dmc.config
import ppo.cli
import ppo.config
from rlcard_kit.errors import ConfigError
from training.config import RunConfig

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
        about, *parts = re.split(r'\n (\w+)(?: options| arguments)? *\n -+ *\n', said)
        assert max(len(line) for part in parts for line in part.splitlines()) <= columns
        shown = {'about': ' '.join(about.split())}
        return shown | {group: ' '.join(part.split()) for group, part in zip(parts[::2], parts[1::2], strict=True)}

    return read


@pytest.mark.parametrize('kind', CONFIGS)
def test_every_setting_is_in_one_group(kind):
    names = [name for group in fields(kind) for name in vars(group.default)]
    assert sorted(names) == sorted(set(names)) == sorted(kind.groups())
    assert kind.of(**kind.of().settings()) == kind.of()
    shared = [name for group in fields(RunConfig) for name in vars(group.default)]
    assert len({*shared} - {'resume', 'network'}) <= 20, 'one resumes, and each trainer has its own networks'
    assert len({*names} - {*shared}) <= 19


@pytest.mark.parametrize('program', COMMANDS)
@pytest.mark.parametrize('columns', [80, 120])
def test_training_shows_its_flags_in_groups_and_what_presets_change(help_of, program, columns):
    shown = help_of(f'{program} train', columns)
    assert {'run', 'game', 'network', 'learning', 'evaluation'} <= shown.keys()
    assert 'paper: rules' in shown['about']
    assert 'learning_rate 0.0001,' in shown['about'] or 'learning_rate 0.00025,' in shown['about']
    assert '--rules' in shown['game']
    assert '--hidden-size' in shown['network']
    assert '--learning-rate' in shown['learning']
    assert '--eval-deals' in shown['evaluation']


@pytest.mark.parametrize(
    'flag', ['--max-silence', '--epsilon=1e-3', '--clip-values', '--no-anneal', '--opponent', '--activation']
)
def test_a_removed_flag_is_answered_with_its_replacement(in_process, flag):
    name = flag.split('=')[0].removeprefix('--').removeprefix('no-').replace('-', '_')
    found = [kind for kind in CONFIGS if name in kind.removed]
    assert found
    for kind in found:
        status, said = in_process(COMMANDS[kind.agent], 'train', flag, '1')
        assert status == 1
        assert flag.split('=')[0] in said
        assert str(kind.removed[name]) in said


def test_settings_of_earlier_versions_are_upgraded():
    stored = {**ppo.config.Config.of().describe(), 'action_size': 256, 'opponent': 'pool', 'pool_share': 0.5}
    kind = ppo.config.Config
    assert kind.of(**kind.upgraded(stored)) == kind.of(pool_share=0.5)
    assert kind.dropped({**stored, 'clip': 0.2, 'max_silence': 120.0}) == []
    assert kind.upgraded({**stored, 'opponent': 'self'})['pool_share'] == 0
    baselines = {'clip_values': True, 'anneal': True, 'adam_epsilon': 1e-5, 'max_grad_norm': 0.5}
    assert kind.upgraded({**stored, **baselines})['baselines_details'] is True
    assert kind.dropped({**stored, **baselines}) == []
    assert kind.upgraded({'network': 'vonyork', 'activation': 'leaky'})['network'] == 'vonyork-leaky'
    (line,) = kind.dropped({**stored, 'clip': 0.3})
    assert line.startswith('clip: 0.3 -> 0.2')
    with pytest.raises(ConfigError, match='action_size'):
        kind.upgraded({**stored, 'action_size': 100})


def test_flags_and_presets_make_the_settings(monkeypatch):
    seen = []
    monkeypatch.setattr(dmc.cli.Train, 'run', lambda command: seen.append(command.config))
    flags = '--preset paper --frames 5 --eval-opponents rule greedy --no-learn-forced --savedir /tmp/x --lstm-size 4'
    monkeypatch.setattr('sys.argv', ['dmc', 'train', *flags.split()])
    dmc.cli.main()
    changes = {'total_frames': 5, 'eval_opponents': ('rule', 'greedy'), 'learn_forced': False, 'lstm_size': 4}
    (config,) = seen
    expected = dmc.config.Config.preset('paper', **changes, savedir=config.run.savedir)
    assert config == expected
    assert str(config.run.savedir) == '/tmp/x'
