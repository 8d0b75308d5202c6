"""What the examples for other libraries share, and what they learn from."""

import importlib.metadata
import runpy
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / 'examples/frameworks'


@pytest.mark.parametrize(
    ('installed', 'message'),
    [
        ({'tianshou': '2.9.0', 'torch': '2.4', 'pettingzoo': '1.24.0'}, None),
        ({'tianshou': '1.2.0'}, 'tianshou_dqn.py was tried with tianshou 2.0.1, which is 1.2.0 here: pip install '),
        ({}, 'tianshou_dqn.py was tried with tianshou 2.0.1, which is not installed: pip install '),
        (
            {'torchrl': '0.14.9', 'tensordict': '0.15.0'},
            'torchrl_ppo.py was tried with tensordict 0.14.3, which is 0.15.0',
        ),
    ],
)
def test_a_framework_that_is_missing_or_of_another_major_version_is_named(installed, message, monkeypatch):
    def version(name):
        if name not in installed:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(importlib.metadata, 'version', version)
    check = runpy.run_path(str(FOLDER / 'shared.py'))['check_versions']
    file = 'torchrl_ppo.py' if 'torchrl' in installed else 'tianshou_dqn.py'
    if message is None:
        check(str(FOLDER / file))
        return
    with pytest.raises(SystemExit) as raised:
        check(str(FOLDER / file))
    assert str(raised.value).startswith(message)


def test_in_tianshou_the_targets_of_the_last_decisions_are_the_payoffs(monkeypatch):
    """Those of the losers too."""
    data = pytest.importorskip('tianshou.data', reason='Tianshou is not installed')
    monkeypatch.syspath_prepend(FOLDER)
    example = runpy.run_path(str(FOLDER / 'tianshou_dqn.py'))
    for _ in range(3):
        buffer = data.ReplayBuffer(1000)
        example['play'](buffer)
        indices = np.arange(len(buffer))
        targets = example['dqn']._preprocess_batch(buffer[indices], buffer, indices).returns.flatten() * 13
        payoffs = example['games'].unwrapped.rlcard_env.get_payoffs()
        assert (payoffs < 0).sum() == 3
        assert sorted(targets[buffer.done[indices]].tolist()) == pytest.approx(sorted(payoffs), rel=1e-5)
