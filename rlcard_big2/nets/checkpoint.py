"""Saved networks of Big 2."""

from collections.abc import Mapping
from typing import Any

from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.nets.spec import SPECS
from rlcard_big2.rules import Rules
from rlcard_kit.nets import checkpoint
from rlcard_kit.nets.checkpoint import FORMAT


class Settings(checkpoint.Settings):
    """Settings of a saved network of Big 2."""

    game = 'big2'
    observation = OBSERVATION_SIZE
    rules_kind = Rules
    specs = SPECS

    @classmethod
    def upgraded(cls, stored: object) -> Mapping[str, Any]:
        """Return settings of format 3 in format 4, others unchanged; an empty mapping if they are not settings."""
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
