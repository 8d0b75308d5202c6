"""The names of agents: modules that they mean lie below them."""

import re
from pathlib import Path
from typing import get_type_hints

import pytest

import rlcard_big2.registry
import rlcard_catch5.registry
from rlcard_kit.agents import RLCardAgent
from rlcard_kit.plugins import find

ROOT = Path(__file__).parents[2]
REGISTRIES = {'big2': rlcard_big2.registry.REGISTRY, 'catch5': rlcard_catch5.registry.REGISTRY}


def floors(package):
    """Return the modules of each floor of a package, the highest floor first, from its import contract."""
    text = (ROOT / 'pyproject.toml').read_text()
    layers = re.search(rf'containers = \["{package}"\].*?layers = \[(.*?)\]', text, re.DOTALL).group(1)
    return [layer.split(' | ') for layer in re.findall('"(.*?)"', layers)]


@pytest.mark.parametrize('game', REGISTRIES)
def test_agents_are_of_modules_on_lower_floors(game):
    package, registry = f'rlcard_{game}', REGISTRIES[game]
    floor_of = {module: number for number, modules in enumerate(floors(package)) for module in modules}
    for entry_point in (*(kind.entry_point for kind in registry.kinds.values()), f'{registry.models}:SHIPPED'):
        assert callable(find(entry_point)) or entry_point.endswith('SHIPPED')
        top, module = entry_point.partition(':')[0].split('.')[:2]
        assert top == package, entry_point
        assert floor_of[module] > floor_of['registry'], entry_point


@pytest.mark.parametrize(('game', 'name'), [('big2', 'rule'), ('big2', 'big2-dmc,numpy'), ('catch5', 'catch5-ppo')])
def test_agents_have_what_their_type_promises(game, name):
    make = REGISTRIES[game].make
    assert get_type_hints(make)['return'] is RLCardAgent
    promised = [member for member in vars(RLCardAgent) if not member.startswith('_')]
    assert sorted(promised) == ['eval_step', 'step', 'use_raw']
    assert all(hasattr(make(name), member) for member in promised)
