"""The command `bench`: stages and the bottleneck."""

import re

import pytest

from dmc.bench import verdict
from dmc.cli import main

SIZES = ('--num-games', '16', '--hidden-size', '32', '--lstm-size', '8', '--batch-size', '128', '--num-actors', '1')


@pytest.mark.slow
@pytest.mark.parametrize('game', ['big2', 'catch5'])
def test_bench_measures_each_stage_and_names_the_bottleneck(in_process, game):
    status, said = in_process(main, 'bench', '--seconds', '4', '--game', game, *SIZES, '--learner-threads', 1)
    assert status == 0, said
    for stage in ('actor', 'rings', 'unpacking', 'learner', 'together', 'bottleneck'):
        assert stage in said
    assert re.search(r'actors on cpu compute in \w+ in (torch|oneDNN|numpy) \(measured: [\d.]+ times as fast as', said)
    assert re.search(r'weights, learned by 1 thread; \w+ on cpu \(measured', said)


@pytest.mark.parametrize(('queue', 'name'), [(0.9, 'The learner is'), (0.1, 'The actors are')])
def test_full_rings_mean_that_the_learner_holds_up(queue, name):
    assert verdict(20_000, 30_000, queue).startswith(name)
