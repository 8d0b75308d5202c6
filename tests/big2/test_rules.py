"""Rules of Big 2: fields, numbers, and settings of trainers and evaluations that keep them by value."""

import json
from dataclasses import replace

import pytest

import dmc.config
import dmc.trainer
import ppo.config
import ppo.trainer
from eval.options import GameOptions, Options
from rlcard_big2 import Rules
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.ppo import PPOAgent
from rlcard_big2.rules import PRESETS, find_rules
from rlcard_kit.errors import RulesError
from rlcard_kit.nets.checkpoint import CheckpointError

OWN = Rules(straights='T2A', penalty_thresholds=(7, 9), unplayed_twos=True)


@pytest.fixture
def file(tmp_path):
    """Write rules of one's own as JSON; return the file."""
    path = tmp_path / 'rules.json'
    path.write_text(json.dumps(OWN.to_json()))
    return path


@pytest.mark.parametrize(
    ('field', 'value', 'named'),
    [
        ('straights', 'A23', "'T2A' .A2345 over 23456 over TJQKA., .*'9TJ' .JQKA2 over TJQKA"),
        ('suits', [], r"suits=\[\]: choose one of 'dchs' .diamonds lowest., 'cdhs' .clubs"),
        ('penalty_thresholds', 8, 'tuple of whole numbers'),
        ('penalty_thresholds', [10**30], 'from 1 to 52'),
    ],
)
def test_bad_fields_are_named_with_their_choices(field, value, named):
    with pytest.raises(RulesError, match=named):
        find_rules(json.dumps({**OWN.fields(), field: value}))


def game_of_dmc(rules):
    return dmc.config.Config.of(rules=rules).game


def game_of_ppo(rules):
    return ppo.config.Config.of(rules=rules).game


def game_of_options(rules):
    return Options(game=GameOptions(rules=rules)).game


@pytest.mark.parametrize('kind', [game_of_dmc, game_of_ppo, game_of_options])
def test_settings_keep_rules_by_value(kind, file):
    first, second = (kind(rules=rules) for rules in (str(file), OWN))
    assert first.rules == second.rules == OWN.text
    file.write_text(json.dumps(Rules(final_pass=True).to_json()))
    assert find_rules(first.rules) == OWN
    with pytest.raises(RulesError, match="no preset 'bridge'"):
        kind(rules='bridge')


SMALL = {'hidden_size': 8, 'num_games': 8}


@pytest.mark.parametrize(
    ('settings', 'train', 'load'),
    [
        (
            dmc.config.Config.of(hidden_size=8, lstm_size=4, batch_size=64, num_games=8),
            dmc.trainer.train,
            DMCAgent.load,
        ),
        (ppo.config.Config.of(**SMALL), ppo.trainer.train, PPOAgent.load),
    ],
)
def test_a_run_learns_rules_from_a_file_and_keeps_them(tmp_path, file, settings, train, load):
    run = settings.changed(rules=str(file), savedir=tmp_path / 'run', deterministic=True, eval_deals=0)
    train(run.changed(total_frames=300))
    agent = load(tmp_path / 'run')
    assert agent.trained_on == OWN
    with pytest.raises(CheckpointError, match=r"rules='charlesworth': the run in .* has .*unplayed_twos"):
        train(run.changed(rules='charlesworth', resume=True, total_frames=600))


def test_a_report_says_the_rules_from_a_file(tmp_path, file, command):
    words = ['match', 'random', 'greedy', '--rules', file, '--deals', '2', '--workers', '1', '--out', tmp_path / 'out']
    status, said = command(*words)
    assert status == 0, said
    report = json.loads((tmp_path / 'out/report.json').read_text())
    assert OWN.title in (tmp_path / 'out/report.md').read_text()
    assert Rules.from_json(report['rules']) == OWN


def test_each_set_of_rules_has_a_number():
    changed = [replace(rules, penalty_thresholds=(8, 52), final_play=True) for rules in PRESETS.values()]
    rules = [*PRESETS.values(), *changed]
    numbers = [one.number for one in rules]
    assert len(set(numbers)) == len(rules)
    assert 0 <= min(numbers) <= max(numbers) < 2**32
    assert [Rules.of_number(number) for number in numbers] == rules
    with pytest.raises(RulesError, match='not the number of any rules'):
        Rules.of_number(2**32)
