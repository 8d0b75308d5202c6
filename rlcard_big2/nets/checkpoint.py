"""Saved networks of Big 2."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.nets.spec import SPECS
from rlcard_big2.rules import Rules
from rlcard_kit.nets import checkpoint
from rlcard_kit.nets.checkpoint import FORMAT
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.rules import Rulebook


@dataclass(frozen=True)
class Settings(checkpoint.Settings):
    """What it takes to play by a saved network of Big 2, and where it comes from."""

    game: ClassVar[str] = 'big2'
    observation: ClassVar[int] = OBSERVATION_SIZE
    rules_kind: ClassVar[type[Rulebook]] = Rules
    specs: ClassVar[Mapping[str, type[NetworkSpec]]] = SPECS

    @classmethod
    def upgraded(cls, stored: object) -> Mapping[str, Any]:
        """Return settings of format 3 in format 4, others as they are, and nothing for what are not settings."""
        if not isinstance(stored, Mapping):
            return {}
        if stored.get('format') != 3:
            return stored
        config, agent = stored['config'], stored['agent']
        frames = stored['frames'] if 'frames' in stored else stored['counters']['frames']
        return {
            **stored,
            'format': FORMAT,
            'game': cls.game,
            'rules': {'name': config['rules'], **Rules.preset(config['rules']).fields()},
            'network': _upgraded_network(agent, config),
            'provenance': {'frames': frames, 'version': stored['version']},
            'training': config,
        }


def _upgraded_network(agent: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the spec of a network in format 4, given the settings of its run in format 3."""
    names: tuple[str, ...]
    if agent == 'dmc':
        names, spec = ('hidden_size', 'lstm_size', 'inputs'), {'kind': 'value', 'variant': config['network']}
    elif config['network'] == 'charlesworth':
        names, spec = ('payoff_unit',), {'kind': 'charlesworth'}
    else:
        names, spec = ('hidden_size', 'action_size', 'inputs', 'payoff_unit'), {'kind': 'actions'}
    return {**spec, **{name: config[name] for name in names}}
