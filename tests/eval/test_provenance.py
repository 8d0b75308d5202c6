"""Provenance of reports: weights of any agent, sources, machine."""

import json
import re
import shutil
import sys
from hashlib import sha256

import pytest
import torch

from eval.plan import ChangedAgentError, Plan, Players
from eval.provenance import NO_WEIGHTS, weights_checksum
from rlcard_big2.duplicate import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.models import WEIGHTS
from rlcard_big2.registry import make_agent, weights_file
from rlcard_big2.rules import Rules
from rlcard_big2.search.clone import TRAITS
from rlcard_kit.errors import FileError
from rlcard_kit.files import checksum, noting, read_file

OWN = """
import numpy as np
from torch import nn
class Protocol:
    use_raw = False
    def __init__(self):
        self.layers = {'first': np.full(3, 0.5), 'second': [np.ones((2, 2), np.float32)]}
        self.seen = np.zeros(4, np.int64)
        self.myself = self
    def eval_step(self, state):
        return list(state['legal_actions'])[-1], {}
class Learned(Protocol):
    def __init__(self):
        self.network = nn.Linear(3, 2)
        nn.init.constant_(self.network.weight, 0.25)
        nn.init.zeros_(self.network.bias)
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / 'agents_with_weights.py').write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    yield 'python:agents_with_weights:{}'.format
    sys.modules.pop('agents_with_weights', None)


def made(name, rules=None, expected=None):
    return Players(Plan((name,), BIG2.seatings(0, 0), rules or Rules(), deals_from_seed(0, 2), 0), expected=expected)


def checksums(name):
    """Return the checksum of an agent's weights, and of what else it is made of."""
    described = made(name).describe()
    return described['weights'][name], described['agent_sources'].get(name)


@pytest.mark.parametrize(('name', 'folder'), [('big2-dmc,numpy', 'dmc'), ('big2-ppo', 'ppo')])
def test_shipped_models_have_the_checksum_of_their_file(name, folder):
    file = WEIGHTS / folder / 'network.safetensors'
    assert weights_file(name) == file
    assert checksums(name) == (sha256(file.read_bytes()).hexdigest(), None)


@pytest.mark.parametrize('name', ['greedy', 'rule,epsilon=0.1', 'big2-rule'])
def test_agents_without_weights_say_so(name):
    assert checksums(name) == (NO_WEIGHTS, None)


@pytest.mark.parametrize('kind', ['Protocol', 'Learned'])
def test_weights_and_modules_of_the_users_agents_are_told_apart(own, tmp_path, kind):
    agent, again = make_agent(own(kind)), make_agent(own(kind))
    before = weights_checksum(agent, None, {})
    assert len(before) == 64
    assert weights_checksum(again, None, {}) == before
    if kind == 'Protocol':
        agent.seen[0] = 7
        assert weights_checksum(agent, None, {}) == before, 'it is not a weight'
        agent.layers['second'][0][1, 1] = 1.5
    else:
        with torch.no_grad():
            agent.network.bias[1] = 1e-3
    assert weights_checksum(agent, None, {}) != before
    module = (tmp_path / 'agents_with_weights.py').read_bytes()
    assert checksums(own(kind)) == (before, sha256(module).hexdigest())


def test_the_sources_of_a_program_are_the_files_of_its_command(tmp_path):
    file = tmp_path / 'my bot.py'
    found = set()
    for text in ('one', 'other'):
        file.write_text(text)
        for command in (f"program:python '{file}'", f'coders:{file}'):
            found.add(checksums(command))
    assert len(found) == 4
    assert checksums('program:ls -l') == (NO_WEIGHTS, None)


CHANGING = [  # agents, the file of theirs that changes, and what that is called
    ('dmc:{}/one', 'one/network.safetensors', 'weights'),
    ('dmc:{}/one,epsilon=0.1', 'one/settings.json', 'agent sources'),
    ('ppo:{}/policy', 'policy/network.safetensors', 'weights'),
    ('clone:{}/clone.json', 'clone.json', 'weights'),
    ('search:dmc:{}/one,worlds=8', 'one/network.safetensors', 'weights'),
    ('python:changing_agent:Agent', 'changing_agent.py', 'agent sources'),
    ('program:python {}/bot.py', 'bot.py', 'agent sources'),
    ('coders:{}/bot.py', 'bot.py', 'weights'),
]


@pytest.fixture
def changing(tmp_path, monkeypatch):
    """Return a folder with networks, a clone and programs."""
    shutil.copytree(WEIGHTS / 'dmc', tmp_path / 'one')
    shutil.copytree(WEIGHTS / 'ppo', tmp_path / 'policy')
    (tmp_path / 'clone.json').write_text(json.dumps({'clone': 1, 'weights': dict.fromkeys(TRAITS, 0.0)}))
    (tmp_path / 'bot.py').write_text('')
    (tmp_path / 'changing_agent.py').write_text('class Agent:\n    use_raw = False\n    eval_step = step = print\n')
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop('changing_agent', None)


@pytest.mark.parametrize(('name', 'file', 'what'), CHANGING)
def test_an_agent_is_the_same_in_all_processes_or_named(changing, name, file, what):
    name, path = name.format(changing), changing / file
    first = made(name)
    described = first.describe()
    made(name, expected=described)
    data = path.read_bytes()
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:] if path.suffix == '.safetensors' else data + b'\n')
    assert first.describe() == described, 'it is of what was read'
    with pytest.raises(ChangedAgentError, match=f'{re.escape(name)}. has other {what}'):
        made(name, expected=described)


def test_a_file_that_changes_while_it_is_read_is_named(tmp_path):
    file = tmp_path / 'file'
    with noting() as outer, noting() as inner:
        for text in (b'one', b'one'):
            file.write_bytes(text)
            assert read_file(file) == text
        assert outer == inner == {file: sha256(b'one').hexdigest()}
        file.write_bytes(b'other')
        for read in (read_file, checksum):
            with pytest.raises(FileError, match='changed while it was read'):
                read(file)
    assert read_file(file) == b'other'


def test_agents_are_reported_by_the_rules_that_they_were_trained_on_unless_told_them():
    names = ('big2-dmc', 'greedy', 'big2-dmc,epsilon=0.1')
    for rules, trained_on in (
        (Rules(), {'big2-dmc': Rules(), 'big2-dmc,epsilon=0.1': Rules()}),
        (Rules.preset('hkust'), {}),
    ):
        plan = Plan(names, BIG2.seatings(0, 1), rules, deals_from_seed(0, 2), 0)
        assert Players(plan).trained_on() == trained_on
