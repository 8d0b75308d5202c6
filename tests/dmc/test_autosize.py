"""Sizes that fit a machine: actors, threads, devices and file descriptors."""

import pytest
import torch

from dmc.autosize import Plan, fit
from dmc.config import Config
from rlcard_big2.nets.networks import make_network
from rlcard_kit.errors import ConfigError
from training.machine import Machine, Precision

LAPTOP, GPU_SERVER = Machine(cores=2, cuda_devices=0, has_mps=False), Machine(16, 2, False)


def fitted(machine, **settings):
    config = Config.of(**settings)
    return fit(config, config.find_game(), machine)


@pytest.mark.parametrize(
    ('settings', 'machine', 'sizes'),
    [
        ({}, LAPTOP, (1, 1, 'cpu')),
        ({}, GPU_SERVER, (15, 1, 'cuda:0')),
        ({'training_device': 'cpu'}, GPU_SERVER, (11, 5, 'cpu')),
        ({'num_actors': 3, 'learner_threads': 2}, LAPTOP, (3, 2, 'cpu')),
        ({'deterministic': True}, GPU_SERVER, (1, 1, 'cpu')),
        ({'training_device': '1', 'num_actors': 2}, GPU_SERVER, (2, 1, 'cuda:1')),
    ],
)
def test_sizes_fit_the_machine(settings, machine, sizes):
    run = fitted(machine, **settings).run
    assert (run.num_actors, run.learner_threads, run.training_device) == sizes


@pytest.mark.parametrize(('settings', 'named'), [({}, True), ({'network': 'layered-residual'}, False)])
def test_the_network_that_learns_faster_is_named(settings, named):
    config = fitted(LAPTOP, **settings)
    said = '\n'.join(
        Plan(config, config.find_game(), Precision(torch.float32, ''), {}).describe(make_network(config.spec), False)
    )
    assert ('--network layered-residual' in said) == named


@pytest.mark.parametrize(
    ('settings', 'known'),
    [
        ({'training_device': 'cuda:7'}, 'cuda:0, cuda:1, cpu'),
        ({'actor_devices': ('cpu', 'mps')}, 'cuda:0, cuda:1, cpu'),
        ({'num_actors': 60}, r'num_actors=60: they need 304 .* may open 256; `ulimit -n 304`'),
    ],
)
def test_devices_and_files_that_do_not_exist_are_refused(monkeypatch, settings, known):
    monkeypatch.setattr('dmc.autosize.most_files', lambda: 256)
    run = fitted(GPU_SERVER, num_actors=8, actor_devices=('cuda', 'cpu')).run
    assert run.actor_devices == ('cuda:0', 'cpu'), 'by the names of torch'
    with pytest.raises(ConfigError, match=known):
        fitted(GPU_SERVER, **settings)
