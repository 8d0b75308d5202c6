"""Networks that come with the packages of the games: weights, cards, listings, and play with and without torch."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file

from rlcard_kit.files import checksum
from rlcard_kit.nets.zoo import nearest
from tests.support.commands import run_python
from tests.support.games import BIG2, CATCH5, EACH_GAME, make

# Their names, each with the info of `eval_step` on every raw legal action.
NETWORKS = [(BIG2, 'big2-dmc', 'values'), (BIG2, 'big2-search', 'values'), (BIG2, 'big2-ppo', 'probs')]
NETWORKS += [(CATCH5, 'catch5-ppo', 'probs')]
LIGHT = {'big2': ('big2-dmc', 'dmc:FOLDER/dmc', 'rule', 'random'), 'catch5': ('catch5-ppo', 'rule', 'ppo:FOLDER/ppo')}
WITHOUT_TORCH = """
import sys
sys.modules['torch'] = None
import rlcard, {package} as package
env = rlcard.make('{name}', config={{'seed': 4}})
env.set_agents([*map(package.make_agent, {agents}), package.make_agent('random')][:4])
assert env.run(is_training=False)[1].any()
assert sys.modules['torch'] is None and not any(name.startswith('torch.') for name in sys.modules)
"""


def test_the_network_for_some_rules_is_their_own_else_one_that_is_told_them_else_the_nearest():
    hkust, taiwan = (BIG2.module('rules').PRESETS[name] for name in ('hkust', 'taiwan'))
    other = replace(hkust, triples=False)
    known = {Path('hkust'): hkust, Path('taiwan'): taiwan}
    assert [nearest(known, rules).name for rules in (hkust, taiwan, other)] == ['hkust', 'taiwan', 'hkust']
    told = {**known, Path('told'): None}
    assert [nearest(told, rules).name for rules in (hkust, taiwan, other)] == ['hkust', 'taiwan', 'told']


@EACH_GAME
def test_weights_are_halves_and_cards_have_their_checksums_and_what_hubs_read(game):
    files = list(game.module('models').WEIGHTS.glob('*/network.safetensors'))
    assert files
    for file in files:
        assert {array.dtype for array in load_file(file).values()} == {np.dtype(np.float16)}
        card = file.with_name('MODEL_CARD.md').read_text()
        assert checksum(file) in card
        start, front, text = card.split('---\n', 2)  # as the Hub reads a card
        assert (start, text[:3]) == ('', '\n# ')
        about = yaml.safe_load(front)
        assert (about['license'], about['library_name']) == ('mit', 'rlcard-big2')
        assert {'reinforcement-learning', {'big2': 'big-2', 'catch5': 'catch-five'}[game.name]} <= {*about['tags']}
    assert sum(file.stat().st_size for file in files) < 12e6


@EACH_GAME
def test_the_listing_notes_models_of_other_rules(game, tmp_path, monkeypatch, capsys):
    main, described = game.module('models.__main__').main, game.module('models').describe_models()
    kind, path = game.module('rules').Rules, tmp_path / 'rules.json'
    for rules in (kind(), kind(**game.own_rules), *kind.presets().values()):
        path.write_text(json.dumps(rules.fields()))
        monkeypatch.setattr(sys, 'argv', ['models', '--rules', str(path)])
        main()
        printed = capsys.readouterr().out
        for model in described:
            assert all(word in printed for word in (model.name, f'{model.frames:,}', model.sha256))
        others = [model.rules.name for model in described if model.rules not in (None, rules)]
        assert printed.count('it knows') == len(others)
        assert all(f'it knows {name}' in printed for name in others)
    monkeypatch.setattr(sys, 'argv', ['models', '--rules', 'bridge'])
    with pytest.raises(SystemExit):
        main()
    assert "'bridge'" in capsys.readouterr().err


@pytest.mark.parametrize(('game', 'name', 'key'), NETWORKS, ids=lambda value: getattr(value, 'name', value))
def test_a_network_reports_on_each_raw_action(game, name, key):
    models = pytest.importorskip('rlcard.models')
    env, agents = make(game, seed=4), models.load(name).agents
    state, _ = env.reset()
    action, info = agents[0].eval_step(state)
    report = info[key]
    assert list(report) == state['raw_legal_actions']
    assert key == 'values' or sum(report.values()) == pytest.approx(1)
    if name != 'big2-search':  # which is slow
        assert list(state['legal_actions'])[int(np.argmax(list(report.values())))] == action
        env.set_agents(agents)
        assert env.run(is_training=False)[1].any()


@EACH_GAME
def test_networks_play_without_torch(game):
    folder = str(game.module('models').WEIGHTS)
    agents = [name.replace('FOLDER', folder) for name in LIGHT[game.name]]
    code = WITHOUT_TORCH.format(package=game.package, name=game.name, agents=agents)
    run_python('.', '-c', code)
