"""Big 2 for training: its networks, and the report of a match."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np
from torch import nn
from typing_extensions import override

from eval.big2.game import EvaluatedBig2
from eval.tables import parts_of, rich_table
from rlcard_big2.nets.agents import DMCAgent, PPOAgent
from rlcard_big2.nets.networks import load_network, make_network
from rlcard_big2.nets.rule_features import stake
from rlcard_big2.nets.spec import ActionSpec, CharlesworthSpec, Inputs, Settings, ValueSpec, Variant
from rlcard_big2.nets.value import ValueNetwork
from rlcard_big2.nets.value_numpy import NumpyValueNetwork
from rlcard_big2.random_rules import random_rules
from rlcard_big2.rules import Rules
from rlcard_kit.agents import ValueFunction
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.agents import DMC, PPO
from rlcard_kit.nets.spec import NetworkSpec
from rlcard_kit.nets.value import MoveValueNetwork
from training.games.base import LearnedGame, Presets

DMC_PRESETS: Presets = {
    'default': {},
    'paper': {  # Chow and Cheng (2022); what has no counterpart here, such as its number of buffers, is left out
        'rules': 'hkust',
        'inputs': 'cards',
        'network': 'plain',
        'hidden_size': 512,
        'lstm_size': 128,
        'precision': 'float32',
        'num_actors': 5,
        'exp_epsilon': 0.01,
        'exp_temperature': 0.0,
        'win_bonus': 0.0,
        'learn_forced': True,
        'td_lambda': 1.0,
        'opponent': 'prior',
        'batch_size': 32 * 100,  # DouZero's batch_size times its unroll_length
        'optimizer': 'rmsprop',
        'learning_rate': 1e-4,
        'decay': 0.0,
        'averaging': 1,
    },
    'strong': {  # the run of big2-dmc-2026-11, by the default settings of its time, with a limit
        'lstm_size': 128,
        'optimizer': 'adam',
        'total_frames': 96_999_168,
    },
}
PPO_PRESETS: Presets = {
    'default': {},
    'paper': {  # Charlesworth (2018)
        'rules': 'charlesworth',
        'network': 'charlesworth',
        'total_frames': 150_000_000,
        'num_games': 48,
        'num_steps': 20,
        'learn_forced': True,
        'minibatch_size': 240,
        'epochs': 4,
        'gamma': 0.995,
        'value_coefficient': 0.5,
        'entropy_coefficient': 0.02,
        'uniform_coefficient': 0.0,
        'z_coefficient': 0.0,
        'learning_rate': 2.5e-4,
        'baselines_details': True,
        'averaging': 1,
        'payoff_unit': 5.0,
    },
}


class LearnedBig2(EvaluatedBig2, LearnedGame):
    """Big 2 as a game to learn."""

    settings = Settings
    training_presets: ClassVar[Mapping[str, Presets]] = {DMC: DMC_PRESETS, PPO: PPO_PRESETS}
    networks: ClassVar[Mapping[str, tuple[str, ...]]] = {DMC: get_args(Variant), PPO: ('actions', 'charlesworth')}
    agents: ClassVar[Mapping[str, type[Any]]] = {DMC: DMCAgent, PPO: PPOAgent}
    play_command = 'rlcard_play big2 play --seats'
    faster_networks: ClassVar[Mapping[str, str]] = {'residual': 'layered-residual'}
    is_calibrated = True

    make_network = staticmethod(make_network)

    @override
    def spec(self, trainer: str, settings: Mapping[str, Any]) -> NetworkSpec:
        network = settings['network']
        if trainer == DMC:
            return ValueSpec(network, settings['hidden_size'], settings['lstm_size'], settings['inputs'])
        if network == 'charlesworth':
            if settings['rules'] != 'charlesworth':
                raise ConfigError(
                    f"network='charlesworth': it knows the rules 'charlesworth' alone, not "
                    f"{self.find_rules(settings['rules']).title!r}; network='actions' plays all"
                )
            return CharlesworthSpec(settings['payoff_unit'])
        size = settings['hidden_size']
        return ActionSpec(settings['payoff_unit'], size, max(1, size // 2), settings['inputs'])

    @override
    def draw_rules(self, random: np.random.Generator) -> Rules:
        return random_rules(random)

    @override
    def value_unit(self, spec: NetworkSpec) -> float:
        return stake(self.rules) if spec.is_told_rules else 1.0

    @override
    def widen(self, folder: Path, spec: NetworkSpec, network: nn.Module) -> bool:
        if not isinstance(network, ValueNetwork) or not isinstance(spec, ValueSpec):
            return False
        order, more = get_args(Inputs), network.spec.inputs
        if replace(spec, inputs=more) != network.spec or order.index(spec.inputs) > order.index(more):
            return False
        network.widen(load_network(folder, ValueNetwork(spec)))
        return True

    @override
    def values_in_numpy(self, network: MoveValueNetwork) -> ValueFunction | None:
        assert isinstance(network.spec, ValueSpec)
        weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
        return NumpyValueNetwork(network.spec, weights)

    @override
    def show(self, title: str, match: Any, width: int) -> Iterator[Any]:
        yield from map(rich_table, parts_of(self.table(f'{title} {self.wording.seated}', ('', ''), match), width))
        yield self.note(match)
