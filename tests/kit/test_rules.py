"""Rules of every game by name: presets, files, modules and JSON, in every call."""

import json
import sys
from dataclasses import asdict, fields, replace
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from rlcard_kit.errors import ConfigError, RulesError
from tests.support.games import EACH_GAME, make


@pytest.fixture
def module(game) -> Any:
    return game.module('rules')


@pytest.fixture
def own(module, game) -> Any:
    return module.Rules(**game.own_rules)


@pytest.fixture
def names(own, game, tmp_path, monkeypatch):
    """Write rules of one's own as a file and as a module; return all their forms."""
    file = tmp_path / 'rules.json'
    file.write_text(json.dumps(own.to_json()))
    module = f'house_rules_of_{game.name}'
    (tmp_path / f'{module}.py').write_text(f'from {game.package} import Rules\nHOUSE = Rules(**{game.own_rules!r})\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, 'path', list(sys.path))
    yield own, own.text, own.fields(), asdict(own), str(file), f'python:{module}:HOUSE'
    sys.modules.pop(module, None)


def variants(kind):
    """Yield rules that differ from the presets in one field, whatever its values."""
    values = {bool: (False, True), int: (0, 4, 25), tuple: ((), (1,), (8, 10, 13))}
    for preset in kind.presets().values():
        for field in fields(kind):
            of_type = get_type_hints(kind)[field.name]
            for value in values.get(get_origin(of_type) or of_type) or get_args(of_type):
                try:
                    yield replace(preset, **{field.name: value})
                except RulesError:
                    continue  # it contradicts the preset


@EACH_GAME
def test_rules_survive_their_text_and_their_json(module, own):
    rules = {*variants(module.Rules), own}
    assert len(rules) > 30
    for each in rules:
        assert module.find_rules(each.text) == each
        assert module.find_rules(each) is each
        assert module.Rules.from_json(json.loads(json.dumps(each.to_json()))) == each
        assert module.Rules.from_json(each.fields()) == each


@EACH_GAME
def test_every_call_takes_what_names_rules(game, module, own, names):
    package = game.module()
    assert [module.find_rules(name) for name in game.presets] == list(module.PRESETS.values())
    for name in names:
        assert module.find_rules(name) == own
        assert package.VectorEnv(2, name, seed=0).rules == own
        assert package.make_agent('rule', name).rules == own
        assert make(game, game_rules=name).game.rules == own
        assert game.module('pettingzoo').env(name).unwrapped.rlcard_env.game.rules == own


@EACH_GAME
def test_a_title_names_what_differs_from_the_nearest_preset(game, own, module):
    changes = ', '.join(f'{name}={value!r}' for name, value in game.own_rules.items())
    assert own.title == f'{game.presets[0]} with {changes}'
    assert [rules.title for rules in module.PRESETS.values()] == list(game.presets)
    assert module.Rules().text == game.presets[0]


WRONG = [
    ('bridge', "'bridge'.*PRESETS.*rules.json, or python:MODULE:NAME"), ('', "''"), ('/', 'Is a directory'),
    ('nowhere/rules.json', 'nowhere/rules.json .*No such file'), ('/dev/zero', 'device'),
    ('x' * 5000 + '.json', 'File name too long'), ('a\0/b', 'null'), ('{', 'JSON'), ('{"OTHER": NaN}', 'NaN'),
    ('{"FIELD": "dchs"}', '(is missing.*){2}'), ('FIELDS', 'jokers is unknown'), ('python:', 'python:MODULE:NAME'),
    ('python:no_such_module:RULES', 'no_such_module:RULES .*ModuleNotFoundError'),
    ('python:PACKAGE:NOTHING', 'AttributeError'), ('python:PACKAGE:Rules', 'PACKAGE.Rules'),
    ('python:tests.kit.test_rules:OTHER', 'PACKAGE.Rules'),
]  # fmt: skip
OTHER = object()  # no rules


@EACH_GAME
def test_what_names_no_rules_is_refused(game, module, own):
    known = {'PRESETS': ', '.join(game.presets), 'PACKAGE': game.package, 'FIELD': fields(own)[0].name}
    known['FIELDS'] = json.dumps({**own.fields(), 'jokers': 2})
    for text, named in WRONG:
        for word in ('PRESETS', 'PACKAGE', 'FIELDS', 'FIELD'):
            text, named = text.replace(word, known[word]), named.replace(word, known[word])
        with pytest.raises(RulesError, match=named):
            module.find_rules(text)
    with pytest.raises(RulesError, match='jokers is unknown'):
        module.find_rules({**own.fields(), 'jokers': 2})
    for value in (None, 3, [game.presets[0]]):
        with pytest.raises(ConfigError, match=rf'{game.package}\.Rules'):
            module.find_rules(value)
