"""The model of Catch Five that comes with the package, as RLCard and `make_agent` load it."""

import subprocess
import sys

import pytest
import rlcard

import rlcard_big2  # noqa: F401  # registers 'big2' and its models, beside those of Catch Five
import rlcard_catch5.actions
from rlcard_catch5.duplicate import play_match
from rlcard_catch5.models import WEIGHTS
from rlcard_catch5.models import __main__ as listing
from rlcard_catch5.nets.checkpoint import Settings
from rlcard_kit.files import checksum
from rlcard_kit.nets.agents import PPO
from tests.support.reference_data import reference_file

models = pytest.importorskip('rlcard.models')

WITHOUT_TORCH = """
import sys
sys.modules['torch'] = None
import rlcard, rlcard_catch5
env = rlcard.make('catch5', config={'seed': 4})
env.set_agents([rlcard_catch5.make_agent(name) for name in ('catch5-ppo', 'rule', 'ppo:FOLDER,greedy', 'random')])
_, payoffs = env.run(is_training=False)
assert payoffs[0] == payoffs[2]
assert sys.modules['torch'] is None and not any(name.startswith('torch.') for name in sys.modules)
""".replace('FOLDER', str(WEIGHTS / 'ppo'))


def test_it_tells_how_likely_each_action_is():
    state, _ = rlcard.make('catch5', config={'seed': 4}).reset()
    action, info = models.load('catch5-ppo').agents[0].eval_step(state)
    assert list(info['probs']) == list(state['raw_legal_actions'])
    assert sum(info['probs'].values()) == pytest.approx(1)
    assert max(info['probs'], key=info['probs'].get) == rlcard_catch5.actions.action_text(action)
    assert -18 <= info['value'] <= 18


def test_it_plays_without_torch():
    subprocess.run([sys.executable, '-c', WITHOUT_TORCH], check=True, timeout=120)


def test_the_list_names_it(monkeypatch, capsys):
    monkeypatch.setattr(sys, 'argv', ['models', '--rules', 'table'])
    listing.main()
    said = capsys.readouterr().out
    assert said.splitlines()[1].split()[:2] == ['catch5-ppo', 'paper']
    assert checksum(WEIGHTS / 'ppo' / 'network.safetensors') in said
    assert 'was not trained on these rules: it knows paper' in said


def test_its_card_and_settings_are_of_its_weights():
    weights = WEIGHTS / 'ppo' / 'network.safetensors'
    assert weights.stat().st_size <= 4_000_000
    card = (WEIGHTS / 'ppo' / 'MODEL_CARD.md').read_text(encoding='utf-8')
    assert checksum(weights) in card
    settings = Settings.load(WEIGHTS / 'ppo', PPO)
    assert settings.rules.name == 'paper'
    assert f'{settings.frames / 1e6:.1f} million decisions' in card


@pytest.mark.parametrize(('opponent', 'least'), [('pass', 4.8), ('rule', 0.0), ('random', 10.0)])
def test_it_is_as_strong_as_its_card_says(opponent, least):
    assert play_match('catch5-ppo', opponent, deals=400, seed=5).difference.mean > least


def test_it_beats_the_published_network():
    pytest.importorskip('h5py')
    published = f'published-ppo:{reference_file("catch5_policy_20000.hdf5")},greedy'
    assert play_match('catch5-ppo', published, deals=300, seed=5).difference.mean > 3
