"""Big 2 for RLCard: importing this package registers the environment 'big2', and models once RLCard's are imported."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from rlcard.envs.registration import register, registry

from rlcard_big2 import charlesworth, records
from rlcard_big2.actions import action_id, action_mask
from rlcard_big2.names import make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.vector import VectorEnv
from rlcard_big2.version import __version__

__all__ = ['Rules', 'VectorEnv', '__version__', 'action_id', 'action_mask', 'charlesworth', 'make_agent', 'records']

if 'big2' not in registry.env_specs:
    register(env_id='big2', entry_point='rlcard_big2.env:Big2Env')


def _register_models(rlcard_models: Any) -> None:
    from rlcard_big2.models import MODELS

    for name, model in MODELS.items():
        if name in rlcard_models.registration.model_registry.model_specs:
            continue
        rlcard_models.register(model_id=name, entry_point=f'{model.__module__}:{model.__name__}')


class _ModelsFinder(MetaPathFinder):
    """Registers the models once RLCard's are imported: that imports torch, and a game need not wait for it."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find `rlcard.models` as Python does otherwise, with a loader that registers the models at its end."""
        spec = PathFinder.find_spec(name, path) if name == 'rlcard.models' else None
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_register(module: ModuleType) -> None:
                load(module)
                _register_models(module)

            spec.loader.exec_module = load_and_register  # type: ignore[method-assign]
        return spec


if 'rlcard.models' in sys.modules:
    _register_models(sys.modules['rlcard.models'])
else:
    sys.meta_path.insert(0, _ModelsFinder())
