"""A run's folder: settings as JSON, weights and optimiser as safetensors, each file whole or absent."""

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from dmc.config import Config
from dmc.network import ValueNetwork
from rlcard_big2.errors import Big2Error
from rlcard_big2.version import __version__

NETWORK, SETTINGS = 'network.safetensors', 'settings.json'
FORMAT = 1


class CheckpointError(Big2Error):
    """A folder that holds no checkpoint, or one that this version cannot read."""


def save_checkpoint(folder: Path, config: Config, network: ValueNetwork, frames: int) -> None:
    """Write the network and what it takes to use it; an interruption leaves the earlier files."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {
        'format': FORMAT,
        'version': __version__,
        'frames': frames,
        'config': {key: str(value) if isinstance(value, Path) else value for key, value in asdict(config).items()},
    }
    _replace(folder / NETWORK, lambda path: save_file(network.state_dict(), path, {'settings': json.dumps(metadata)}))
    _replace(folder / SETTINGS, lambda path: path.write_text(json.dumps(metadata, indent=1)))


def refuse_used(folder: Path) -> None:
    """Raise CheckpointError where a folder holds a run, which another one would overwrite."""
    if (folder / SETTINGS).exists():
        raise CheckpointError(f'{folder} holds a trained network already: choose another --savedir, or remove it')


def keep_checkpoint(config: Config, network: ValueNetwork, frames: int) -> None:
    """Write a checkpoint that stays, in the run's folder checkpoints/, named after its frames."""
    save_checkpoint(config.savedir / 'checkpoints' / f'{frames:012d}', config, network, frames)


def _replace(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file beside `path`, bring it to the disk, and only then put it in its place."""
    temporary = path.with_suffix('.tmp')
    write(temporary)
    for target in (temporary, path.parent):
        descriptor = os.open(target, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if target == temporary:
            os.replace(temporary, path)


def load_network(folder: Path) -> ValueNetwork:
    """Read the network of a run's folder; CheckpointError says what is missing or wrong."""
    settings = load_settings(folder)
    config = settings['config']
    network = ValueNetwork(config['hidden_size'], config['lstm_size'])
    try:
        network.load_state_dict(load_file(folder / NETWORK))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise CheckpointError(f'{folder / NETWORK} cannot be read: {error}') from error
    return network.to(torch.float32)


def load_settings(folder: Path) -> dict[str, Any]:
    """Read the settings of a run's folder; CheckpointError says what is missing or wrong."""
    path = folder / SETTINGS
    try:
        settings: dict[str, Any] = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise CheckpointError(f'{folder} holds no trained network: there is no {path}') from error
    except (OSError, ValueError) as error:
        raise CheckpointError(f'{path} cannot be read: {error}') from error
    if settings.get('format') != FORMAT:
        raise CheckpointError(f'{path} has format {settings.get("format")}, and this version reads {FORMAT}')
    return settings
