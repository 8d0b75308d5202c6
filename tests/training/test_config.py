"""The trainers' help: flags in groups, and none that mean nothing to a command."""

import re
import shlex
import subprocess
import sys
from dataclasses import fields

import pytest

import dmc.cli
import dmc.config
import dmc.learner
import ppo.cli
import ppo.config
import ppo.learner
import ppo.rollout
from rlcard_kit.errors import ConfigError, RulesError
from training.config import RunConfig

COMMANDS = {'dmc': dmc.cli.main, 'ppo': ppo.cli.main}
CONFIGS = [dmc.config.Config, ppo.config.Config]


@pytest.mark.parametrize('kind', CONFIGS)
def test_every_setting_is_in_one_group(kind):
    names = [name for group in fields(kind) for name in vars(group.default)]
    assert sorted(names) == sorted(set(names)) == sorted(kind.groups())
    assert kind.of(**kind.of().settings()) == kind.of()
    shared = [name for group in fields(RunConfig) for name in vars(group.default)]
    assert len({*shared} - {'resume', 'network'}) <= 20, 'one resumes, and each trainer has its own networks'
    assert len({*names} - {*shared}) <= 20


PAPERS = {  # as published, by trainer and game
    ('dmc', 'big2'): {  # Chow and Cheng (2022)
        'inputs': 'cards', 'network': 'plain', 'hidden_size': 512, 'lstm_size': 128, 'num_actors': 5,
        'exp_epsilon': 0.01, 'exp_temperature': 0.0, 'win_bonus': 0.0, 'learn_forced': True, 'td_lambda': 1.0,
        'opponent': 'prior', 'batch_size': 3200, 'optimizer': 'rmsprop', 'learning_rate': 1e-4, 'decay': 0.0,
        'averaging': 1, 'rules': 'hkust',
    },
    ('ppo', 'big2'): {  # Charlesworth (2018)
        'network': 'charlesworth', 'total_frames': 150_000_000, 'num_games': 48, 'num_steps': 20, 'learn_forced': True,
        'minibatch_size': 240, 'epochs': 4, 'gamma': 0.995, 'value_coefficient': 0.5, 'entropy_coefficient': 0.02,
        'uniform_coefficient': 0.0, 'z_coefficient': 0.0, 'learning_rate': 2.5e-4, 'baselines_details': True,
        'averaging': 1, 'payoff_unit': 5.0, 'pool_share': 0.0, 'rules': 'charlesworth',
    },
    ('ppo', 'catch5'): {  # Von York (2020)
        'network': 'vonyork', 'num_games': 32, 'num_steps': 29, 'target': 'score', 'payoff_unit': 18.0,
        'learn_forced': True, 'minibatch_size': 8, 'epochs': 5, 'gamma': 0.99, 'entropy_coefficient': 0.01,
        'uniform_coefficient': 0.0, 'z_coefficient': 0.0, 'learning_rate': 3e-5, 'decay': 0.0, 'averaging': 1,
        'pool_share': 0.0, 'total_frames': 20_000 * 928, 'rules': 'paper',
    },
}  # fmt: skip


@pytest.mark.parametrize(('trainer', 'game'), PAPERS)
def test_the_papers_settings_are_as_published(trainer, game):
    kind = dmc.config.Config if trainer == 'dmc' else ppo.config.Config
    found = kind.preset('paper', game=game).settings()
    wanted = PAPERS[trainer, game]
    assert {name: found[name] for name in wanted} == wanted
    assert (dmc.learner.MAX_GRAD_NORM, ppo.learner.CLIP, ppo.rollout.GAE_LAMBDA) == (40.0, 0.2, 0.95)
    assert ppo.learner.BASELINES._asdict() == {
        'clip_values': True, 'anneal': True, 'adam_epsilon': 1e-5, 'max_grad_norm': 0.5,
    }  # fmt: skip


@pytest.mark.parametrize('kind', CONFIGS)
@pytest.mark.parametrize('columns', [80, 120])
def test_help_shows_each_flag_in_its_group_and_the_presets(monkeypatch, in_process, kind, columns):
    monkeypatch.setenv('COLUMNS', str(columns))
    status, said = in_process(COMMANDS[kind.agent], 'train', '--help')
    assert status == 0
    about, *parts = re.split(r'\n (\w+)(?: options| arguments)? *\n -+ *\n', said)
    assert max(len(line) for part in parts for line in part.splitlines()) <= columns
    shown = dict(zip(parts[::2], parts[1::2], strict=True))
    assert [name for name, group in kind.groups().items() if f'--{name.replace("_", "-")}' not in shown[group]] == []
    assert 'paper: rules' in ' '.join(about.split())


@pytest.fixture
def parsed(monkeypatch):
    """Return a function that parses a command line; it returns the settings of the run that would start."""
    seen = []
    for program in (dmc.cli, ppo.cli):
        monkeypatch.setattr(program.Train, 'run', lambda command: seen.append(command.config))

    def parse(text):
        program, *words = shlex.split(text)
        monkeypatch.setattr('sys.argv', [program, 'train', *words])
        COMMANDS[program]()
        return seen.pop()

    return parse


def test_flags_and_presets_make_the_settings(parsed):
    flags = '--preset paper --frames 5 --eval-opponents rule greedy --no-learn-forced --savedir /tmp/x --lstm-size 4'
    changes = {'total_frames': 5, 'eval_opponents': ('rule', 'greedy'), 'learn_forced': False, 'lstm_size': 4}
    config = parsed(f'dmc {flags}')
    assert config == dmc.config.Config.preset('paper', **changes, savedir=config.run.savedir)
    assert str(config.run.savedir) == '/tmp/x'
    with pytest.raises(ConfigError, match=r'newspaper.*default, paper'):
        dmc.config.Config.preset('newspaper')


@pytest.mark.parametrize('game', ['big2', 'catch5'])
@pytest.mark.parametrize('kind', CONFIGS)
def test_the_flags_of_settings_make_the_same_settings(parsed, kind, game):
    for preset in kind.presets(game):
        config = kind.preset(preset, game=game, seed=3, eval_opponents=('rule', 'random'), learn_forced=True)
        assert parsed(f'{kind.agent} {config.flags()}') == config
    assert kind.preset('default', game=game).flags() == ('' if game == 'big2' else '--game catch5')


CATCH5 = {'game': 'catch5', 'rules': 'paper', 'network': 'suits'}
RAY = {'ray': 'auto', 'num_games': 12}


@pytest.mark.parametrize(
    ('program', 'settings', 'word'),
    [
        ('dmc', {'rules': 'poker'}, 'hkust'),
        ('dmc', {'num_actors': 0}, 'num_actors'),
        ('dmc', {'minutes': -1.0}, 'minutes'),
        ('dmc', {'exp_epsilon': 1.5}, 'exp_epsilon'),
        ('dmc', {'exp_temperature': float('nan')}, 'exp_temperature'),
        ('dmc', {'max_silence': 100.0}, 'max_silence'),
        ('dmc', {'optimizer': 'sgd'}, 'optimizer'),
        ('dmc', {'network': 'transformer'}, 'transformer.*memoryless-residual'),
        ('dmc', {'batch_size': 500, 'ring_size': 100}, 'ring_size'),
        ('dmc', {'actor_devices': ()}, 'actor_devices'),
        ('dmc', {'opponent_share': 0.4}, "opponent_share=0.4: opponent='self'"),
        ('dmc', {'more_opponents': ('rule',)}, "opponent='self' with more_opponents=rule"),
        ('dmc', {'deterministic': True, 'minutes': 1.0}, '--frames'),
        ('dmc', {'deterministic': True, 'num_actors': 2}, 'num_actors'),
        ('dmc', {'deterministic': True, 'training_device': 'cuda'}, 'learn on the cpu'),
        ('dmc', {**CATCH5, 'network': 'residual'}, "network='residual': catch5 has suits"),
        ('dmc', {'network': 'suits'}, "network='suits': big2 has plain, residual"),
        ('dmc', {'more_rules': ('hkust',)}, "more_rules=hkust: only .* inputs='tables'"),
        ('dmc', {'more_rules': ('poker',), 'inputs': 'tables'}, 'hkust'),
        ('dmc', {**CATCH5, 'more_rules': ('table',), 'inputs': 'tables'}, 'more_rules=table: only a network of big2'),
        ('dmc', {**RAY, 'actor_devices': ('cuda',)}, 'actor_devices=cuda'),
        ('dmc', {**RAY, 'deterministic': True}, "ray='auto'"),
        ('ppo', {**RAY, 'deterministic': True}, "ray='auto'"),
        ('ppo', {'num_actors': 2}, 'num_actors=2'),
        ('dmc', {'ray': ''}, "ray=''"),
        ('ppo', {**RAY, 'num_actors': 13}, 'num_actors=13: 12 games are enough for 12'),
        ('ppo', {**RAY, 'num_actors': 4, 'pool_share': 0.25}, 'num_actors=4: 12 games are enough for 3'),
        ('ppo', {**CATCH5, 'network': 'actions'}, "network='actions': catch5 has suits, vonyork"),
        ('ppo', {'network': 'suits'}, "network='suits': big2 has actions, charlesworth"),
        ('ppo', {'network': 'charlesworth', 'rules': 'hkust'}, "'charlesworth' alone, not 'hkust'.*actions"),
        ('ppo', {'game': 'whist'}, "game='whist': choose one of big2, catch5"),
        ('ppo', {'pool_agents': ('rule',)}, 'pool_agents=rule'),
    ],
)
def test_impossible_settings_are_refused(program, settings, word):
    with pytest.raises((ConfigError, RulesError), match=word):
        {kind.agent: kind for kind in CONFIGS}[program].of(**settings)


@pytest.mark.parametrize(
    ('kind', 'words', 'told'),
    [
        ('dmc', ['train', '--minuts', '1'], ['--minutes', 'run python -m dmc train --help']),
        ('dmc', ['exploit'], ['AGENT', 'python -m dmc exploit --help']),
        ('ppo', ['trian'], ['train, export', 'run python -m ppo --help']),
    ],
)
def test_hints_name_commands_that_exist(in_process, kind, words, told):
    status, said = in_process(COMMANDS[kind], *words)
    assert (status, [text for text in told if text not in said]) == (2, [])
    assert 'in python' not in said


def test_the_usage_of_a_benchmark_names_its_command():
    shown = subprocess.run([sys.executable, '-m', 'benchmarks.speed', '--help'], capture_output=True, text=True).stdout
    assert shown.startswith('usage: python -m benchmarks.speed [-h]')
