"""The cores that a process may use."""

import os

import pytest

from rlcard_kit import threads


@pytest.mark.parametrize(
    ('quota', 'cores'),
    [('max 100000', 8), ('250000 100000', 2), ('50000 100000', 1), ('1600000 100000', 8), (None, 8), ('', 8)],
)
def test_cores_are_those_of_the_affinity_within_the_quota(monkeypatch, tmp_path, quota, cores):
    monkeypatch.setattr(os, 'sched_getaffinity', lambda process: set(range(8)), raising=False)
    monkeypatch.setattr(threads, 'QUOTA', tmp_path / 'cpu.max')
    if quota is not None:
        threads.QUOTA.write_text(quota)
    assert threads.count_cores() == cores


def test_a_system_without_affinities_has_the_cores_of_its_machine(monkeypatch, tmp_path):
    monkeypatch.delattr(os, 'sched_getaffinity', raising=False)
    monkeypatch.setattr(os, 'cpu_count', lambda: 3)
    monkeypatch.setattr(threads, 'QUOTA', tmp_path / 'cpu.max')
    assert threads.count_cores() == 3
