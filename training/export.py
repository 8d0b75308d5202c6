"""The command `export`: a run's current network in half precision, to be shipped."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tyro.conf import Positional, arg

from rlcard_big2.nets.saved import NETWORK, CheckpointError, load_settings
from training.checkpoint import write_network

RUN = Annotated[Positional[Path], arg(metavar='RUN', help='Folder of the run, or of one of its checkpoints.')]
FOLDER = Annotated[Positional[Path], arg(metavar='FOLDER', help='Folder to write to.')]


def export_command(agent: str) -> Callable[[Path, Path], None]:
    """Return the command that exports the runs of one kind of agent, 'dmc' or 'ppo'."""

    def command(run: RUN, folder: FOLDER) -> None:
        """Copy the current network of a run in half precision (float16), to be shipped."""
        export(run, folder, agent)

    return command


def export(run: Path, folder: Path, agent: str) -> None:
    """Write the network of a run in float16, and what it takes to play by it.

    Args:
        run: folder of the run, or of one of its checkpoints.
        folder: to write to.
        agent: the kind of agent that the run has trained, 'dmc' or 'ppo'.

    Raises:
        CheckpointError: if the run holds no such network, or one with weights that float16 cannot hold.
    """
    settings = load_settings(run, agent)
    try:
        tensors = load_file(run / NETWORK)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f'{run / NETWORK} cannot be read: {error}') from error
    halves = {name: tensor.to(torch.float16) for name, tensor in tensors.items()}
    for name, tensor in halves.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(f'{run}: {name} has weights that float16 cannot hold')
    write_network(folder, halves, settings)
