"""Provenance of reports: weights of any agent, sources, machine."""

import sys
from hashlib import sha256

import pytest
import torch

from eval.plan import Plan, Players
from eval.provenance import NO_WEIGHTS, source_checksum, weights_checksum
from rlcard_big2.duplicate import deals_from_seed
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.models import WEIGHTS
from rlcard_big2.registry import make_agent, weights_file
from rlcard_big2.rules import Rules

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


@pytest.mark.parametrize(('name', 'folder'), [('big2-dmc,numpy', 'dmc'), ('big2-ppo', 'ppo')])
def test_shipped_models_have_the_checksum_of_their_file(name, folder):
    file = WEIGHTS / folder / 'network.safetensors'
    assert weights_file(name) == file
    assert weights_checksum(make_agent(name), weights_file(name)) == sha256(file.read_bytes()).hexdigest()


@pytest.mark.parametrize('name', ['greedy', 'rule,epsilon=0.1', 'big2-rule'])
def test_agents_without_weights_say_so(name):
    assert weights_checksum(make_agent(name), weights_file(name)) == NO_WEIGHTS
    assert source_checksum(name, make_agent(name)) is None


@pytest.mark.parametrize('kind', ['Protocol', 'Learned'])
def test_weights_and_modules_of_the_users_agents_are_told_apart(own, tmp_path, kind):
    agent, again = make_agent(own(kind)), make_agent(own(kind))
    before = weights_checksum(agent, None)
    assert len(before) == 64
    assert weights_checksum(again, None) == before
    if kind == 'Protocol':
        agent.seen[0] = 7
        assert weights_checksum(agent, None) == before, 'it is not a weight'
        agent.layers['second'][0][1, 1] = 1.5
    else:
        with torch.no_grad():
            agent.network.bias[1] = 1e-3
    assert weights_checksum(agent, None) != before
    assert source_checksum(own(kind), agent) == sha256((tmp_path / 'agents_with_weights.py').read_bytes()).hexdigest()


def test_the_sources_of_a_program_are_the_files_of_its_command(tmp_path):
    file = tmp_path / 'my bot.py'
    checksums = set()
    for text in ('one', 'other'):
        file.write_text(text)
        for command in (f"program:python '{file}'", f'coders:{file}'):
            checksums.add(source_checksum(command, make_agent(command)))
    assert len(checksums) == 4
    assert source_checksum('program:ls -l', make_agent('program:ls -l')) is None


def test_agents_are_reported_by_the_rules_that_they_were_trained_on_unless_told_them():
    names = ('big2-dmc', 'greedy', 'big2-dmc,epsilon=0.1')
    for rules, trained_on in (
        (Rules(), {'big2-dmc': Rules(), 'big2-dmc,epsilon=0.1': Rules()}),
        (Rules.preset('hkust'), {}),
    ):
        plan = Plan(names, BIG2.seatings(0, 1), rules, deals_from_seed(0, 2), 0)
        assert Players(plan).trained_on() == trained_on
