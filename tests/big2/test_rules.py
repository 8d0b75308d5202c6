"""Rules by name: presets, files, modules and JSON, on every command line and in every call."""

import json
import sys
from dataclasses import fields, replace
from typing import get_args, get_origin, get_type_hints

import numpy as np
import pytest
import rlcard

import dmc.config
import dmc.trainer
import ppo.config
import ppo.trainer
from eval.options import GameOptions, Options
from rlcard_big2 import Rules, VectorEnv, make_agent
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.models import __main__ as models
from rlcard_big2.nets.dmc import DMCAgent
from rlcard_big2.nets.ppo import PPOAgent
from rlcard_big2.records import from_deals, parse
from rlcard_big2.rules import PRESETS, find_rules
from rlcard_kit.errors import ConfigError, RecordError, RulesError
from rlcard_kit.nets.checkpoint import CheckpointError

OWN = Rules(straights='T2A', penalty_thresholds=(7, 9), unplayed_twos=True)


@pytest.fixture
def file(tmp_path):
    """Write rules of one's own as JSON; return the file."""
    path = tmp_path / 'rules.json'
    path.write_text(json.dumps(OWN.to_json()))
    return path


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module with rules into the current folder; return what names them."""
    (tmp_path / 'house_rules.py').write_text(
        "from rlcard_big2 import Rules\nHOUSE = Rules(straights='T2A', penalty_thresholds=(7, 9), unplayed_twos=True)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    yield 'python:house_rules:HOUSE'
    sys.modules.pop('house_rules', None)


def variants():
    """Yield rules that differ from the defaults in one field, whatever its values."""
    for field in fields(Rules):
        kind = get_type_hints(Rules)[field.name]
        values = get_args(kind) if get_origin(kind) is not tuple else [(), (1,), (8, 10, 13)]
        base = Rules(bombs=True, four_kickers=True) if field.name in ('mixed_kinds', 'four_kickers') else Rules()
        for value in values or (False, True):
            if (field.name, value) not in (('bombs', True), ('four_kickers', False)):
                yield replace(base, **{field.name: value})


def test_rules_survive_their_text_and_their_json():
    rules = [*variants(), *PRESETS.values(), OWN]
    assert len(rules) > 30
    for each in rules:
        assert find_rules(each.text) == each
        assert find_rules(each) is each
        assert Rules.from_json(json.loads(json.dumps(each.to_json()))) == each
        assert Rules.from_json(each.fields()) == each


def test_rules_are_found_in_files_and_modules(file, module):
    assert find_rules(str(file)) == find_rules(module) == OWN
    assert [find_rules(name) for name in PRESETS] == list(PRESETS.values())


def test_a_title_says_what_differs_from_the_nearest_preset():
    assert Rules().title == 'charlesworth'
    assert Rules(final_pass=True).title == 'charlesworth with final_pass=True'
    assert replace(Rules.preset('hong-kong'), penalty_thresholds=(10, 13)).title == (
        'hong-kong with penalty_thresholds=(10, 13)'
    )


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (
            'bridge',
            r"no preset 'bridge': choose one of charlesworth, .*, a file such as rules.json, or python:MODULE:NAM",
        ),
        ('', "no preset ''"),
        ('nowhere/rules.json', 'nowhere/rules.json cannot be read: No such file'),
        ('/', 'cannot be read: Is a directory'),
        ('/dev/zero', 'a pipe or a device'),
        ('x' * 5000 + '.json', 'File name too long'),
        ('a\0/b', 'null'),
        ('{', 'is not JSON'),
        ('{"suits": NaN}', 'NaN is not a number'),
        ('{"suits": "dchs"}', 'all fields and no others are needed: opening is missing, triples is missing'),
        (json.dumps({**OWN.fields(), 'jokers': 2}), 'jokers is unknown'),
        (
            json.dumps({**OWN.fields(), 'straights': 'A23'}),
            "'T2A' .A2345 over 23456 over TJQKA., .*'9TJ' .JQKA2 over TJQKA",
        ),
        (
            json.dumps({**OWN.fields(), 'suits': []}),
            r"suits=\[\]: choose one of 'dchs' .diamonds lowest., 'cdhs' .clubs",
        ),
        (json.dumps({**OWN.fields(), 'penalty_thresholds': 8}), 'expected a tuple of whole numbers'),
        (json.dumps({**OWN.fields(), 'penalty_thresholds': [10**30]}), 'ascending numbers from 1 to 52'),
        ('python:', 'write python:MODULE:NAME'),
        (
            'python:no_such_module:RULES',
            "no_such_module:RULES cannot be imported: ModuleNotFoundError: No module named 'no",
        ),
        ('python:rlcard_big2:NOTHING', 'AttributeError'),
        ('python:rlcard_big2:Rules', 'it is of type type: expected a rlcard_big2.Rules'),
    ],
)
def test_what_names_no_rules_is_refused(text, message):
    with pytest.raises(RulesError, match=message):
        find_rules(text)


@pytest.mark.parametrize('value', [None, 3, ['taiwan'], {'suits': 'dchs'}])
def test_what_is_neither_text_nor_rules_is_refused(value):
    with pytest.raises(ConfigError, match=r"give a preset's name or a rlcard_big2\.Rules"):
        find_rules(value)


def test_every_call_takes_what_names_rules(file):
    name = str(file)
    assert VectorEnv(2, name).rules == OWN
    assert rlcard.make('big2', config={'game_rules': name}).game.rules == OWN
    assert np.array_equal(make_agent('rule', name)._table, tabulate(OWN))
    assert from_deals(deals_from_seed(1, 1), name)[0].rules == OWN


def test_rules_in_a_record_import_nothing():
    with pytest.raises(RecordError, match="no preset 'python:rlcard_big2:Rules'"):
        parse({'big2': 1, 'rules': 'python:rlcard_big2:Rules', 'hands': [None] * 4, 'moves': []})


def game_of_dmc(rules):
    return dmc.config.Config.of(rules=rules).game


def game_of_ppo(rules):
    return ppo.config.Config.of(rules=rules).game


def game_of_options(rules):
    return Options(game=GameOptions(rules=rules)).game


@pytest.mark.parametrize('kind', [game_of_dmc, game_of_ppo, game_of_options])
def test_settings_keep_rules_by_value(kind, file, module):
    first, second, third = (kind(rules=rules) for rules in (str(file), module, OWN))
    assert first.rules == second.rules == third.rules == OWN.text
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
    run = replace(settings, rules=str(file), savedir=tmp_path / 'run', deterministic=True, eval_deals=0)
    train(replace(run, total_frames=300))
    agent = load(tmp_path / 'run')
    assert agent.trained_on == OWN
    with pytest.raises(CheckpointError, match=r"rules='charlesworth': the run in .* has .*unplayed_twos"):
        train(replace(run, rules='charlesworth', resume=True, total_frames=600))


def test_a_report_says_the_rules_from_a_file(tmp_path, file, command):
    words = ['match', 'random', 'greedy', '--rules', file, '--deals', '2', '--workers', '1', '--out', tmp_path / 'out']
    status, said = command(*words)
    assert status == 0, said
    report = json.loads((tmp_path / 'out/report.json').read_text())
    assert OWN.title in (tmp_path / 'out/report.md').read_text()
    assert Rules.from_json(report['rules']) == OWN


def test_the_list_of_models_compares_rules_by_value(tmp_path, monkeypatch, capsys):
    path = tmp_path / 'rules.json'
    for rules, noted in ((OWN, True), (Rules(), False)):
        path.write_text(json.dumps(rules.fields()))
        monkeypatch.setattr(sys, 'argv', ['models', '--rules', str(path)])
        models.main()
        assert ('was not trained on these rules: it knows charlesworth' in capsys.readouterr().out) == noted
    monkeypatch.setattr(sys, 'argv', ['models', '--rules', 'bridge'])
    with pytest.raises(SystemExit):
        models.main()
    assert "no preset 'bridge': choose one of charlesworth" in capsys.readouterr().err


def test_each_set_of_rules_has_a_number():
    changed = [replace(rules, penalty_thresholds=(8, 52), final_play=True) for rules in PRESETS.values()]
    rules = [*PRESETS.values(), *changed]
    numbers = [one.number for one in rules]
    assert len(set(numbers)) == len(rules)
    assert 0 <= min(numbers) <= max(numbers) < 2**32
    assert [Rules.of_number(number) for number in numbers] == rules
    with pytest.raises(RulesError, match='not the number of any rules'):
        Rules.of_number(2**32)
