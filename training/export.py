"""The command `export`: a run's current network in half precision, to be shipped."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from tyro import MISSING
from tyro.conf import Positional, Suppress, arg

from rlcard_big2.nets.saved import NETWORK, CheckpointError, load_settings
from training.checkpoint import write_network


@dataclass(frozen=True)
class Export:
    """Copy the current network of a run in half precision (float16), to be shipped."""

    agent: Annotated[str, Suppress]
    """The kind of agent that the run has trained, 'dmc' or 'ppo'."""
    source: Annotated[Positional[Path], arg(metavar='RUN')] = MISSING
    """Folder of the run, or of one of its checkpoints."""
    folder: Annotated[Positional[Path], arg(metavar='FOLDER')] = MISSING
    """Folder to write to."""

    def run(self) -> None:
        """Copy it."""
        export(self.source, self.folder, self.agent)


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
