"""Saved networks: the folder that holds a network's weights, as safetensors, and what it takes to use them, as JSON."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn

from rlcard_big2.engine.observation import OBSERVATION_SIZE
from rlcard_big2.errors import Big2Error

NETWORK, SETTINGS = 'network.safetensors', 'settings.json'
FORMAT = 3


class CheckpointError(Big2Error):
    """A folder that does not hold a checkpoint, or holds one that this version cannot read."""


def identity(agent: str) -> dict[str, Any]:
    """Return what the settings of an agent's network must say for it to be usable here."""
    return {'format': FORMAT, 'agent': agent, 'observation': OBSERVATION_SIZE}


def load_settings(folder: Path, agent: str) -> dict[str, Any]:
    """Read the settings of a run of an agent; CheckpointError says what is missing or wrong."""
    path = folder / SETTINGS
    try:
        settings: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise CheckpointError(f'{folder} holds no trained network: there is no {path}') from error
    except (OSError, ValueError) as error:
        raise CheckpointError(f'{path} cannot be read: {error}') from error
    check_same(path, settings, identity(agent))
    return settings


def load_weights_from(folder: Path, network: nn.Module) -> None:
    """Set a network to the weights in a run's folder; CheckpointError where they cannot be read or do not fit."""
    try:
        network.load_state_dict(load_file(folder / NETWORK))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise CheckpointError(f'{folder / NETWORK} cannot be read: {error}') from error


def check_same(path: Path, stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise CheckpointError naming the first key of `wanted` whose value in `stored` differs."""
    for key, value in wanted.items():
        if stored.get(key) != value:
            raise CheckpointError(f'{path} has {key} {stored.get(key)}, and here it is {value}')
