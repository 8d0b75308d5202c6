"""The kernels of a release: with them, a game starts without compiling."""

import os
import subprocess
import sys

import pytest

from rlcard_play import native

RELEASED = 'from pathlib import Path; from rlcard_kit import released; released.RELEASED = Path(sys.argv[1]); '
FIRST = {
    'big2': 'rlcard_big2.make_agent("big2-dmc,numpy").eval_step(rlcard.make("big2", config={"seed": 1}).reset()[0])',
    'catch5': 'rlcard_catch5.make_agent("catch5-ppo").eval_step(rlcard.make("catch5", config={"seed": 1}).reset()[0])',
}


def run(code, folder, released, **environment):
    """Run a program with an empty folder for compiled code; return what it prints to stderr."""
    words = [sys.executable, '-c', f'import sys; {RELEASED}{code}', str(released)]
    environment = {**os.environ, **environment, 'NUMBA_CACHE_DIR': str(folder)}
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stderr


@pytest.mark.slow
def test_a_first_decision_compiles_nothing_on_any_processor(tmp_path):
    released = tmp_path / 'kernels.xz'
    assert 'compiling' in run(
        'from rlcard_play.native import write; write("all")', tmp_path / 'all', released, **native.processor()
    )
    for game, code in FIRST.items():
        first = f'import rlcard, rlcard_{game}; {code}'
        assert run(first, tmp_path / game, released) == ''
        assert run(first, tmp_path / f'{game}-old', released, NUMBA_CPU_NAME='generic', NUMBA_CPU_FEATURES='') == ''


@pytest.mark.parametrize(
    ('lacking', 'level'),
    [((), 'x86-64-v4'), (('avx512vl',), 'x86-64-v3'), (('avx512f', 'avx2'), 'x86-64')],
)
def test_kernels_are_compiled_for_a_processor_on_which_they_run(monkeypatch, lacking, level):
    features = {feature: feature not in lacking for features in native.X86_LEVELS.values() for feature in features}
    monkeypatch.setattr(native, 'get_host_cpu_features', lambda: features)
    monkeypatch.setattr(native.platform, 'machine', lambda: 'x86_64')
    assert native.processor() == {'NUMBA_CPU_NAME': level, 'NUMBA_CPU_FEATURES': ''}
    monkeypatch.setattr(native.platform, 'machine', lambda: 'arm64')
    assert native.processor() == {}
