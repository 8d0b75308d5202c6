"""Imports go one way: engine <- rlcard_big2 <- eval <- training <- dmc."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FORBIDDEN = {
    'rlcard_big2/engine': ('rlcard', 'torch', 'rlcard_big2.game', 'rlcard_big2.env', 'rlcard_big2.agents'),
    'rlcard_big2': ('torch', 'eval', 'training', 'dmc', 'ppo'),
    'eval': ('training', 'dmc', 'ppo'),
    'training': ('dmc', 'ppo'),
}


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize('package', FORBIDDEN)
def test_arrows_go_one_way(package):
    files = sorted((ROOT / package).rglob('*.py'))
    assert files
    for path in files:
        for module in imports_of(path):
            parents = {module.rsplit('.', count)[0] for count in range(module.count('.') + 1)}
            assert not parents & set(FORBIDDEN[package]), f'{path.relative_to(ROOT)} imports {module}'
