"""Copies a run's newest network in half precision, to be shipped: python -m training.export RUN FOLDER."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
import tyro
from safetensors import SafetensorError
from safetensors.torch import load_file
from tyro.conf import Positional

from rlcard_big2.errors import Big2Error
from rlcard_big2.nets.saved import NETWORK, SETTINGS, CheckpointError
from training.checkpoint import write_network


@dataclass(frozen=True)
class Options:
    """Copy a run's newest network in half precision, to be shipped."""

    run: Annotated[Path, Positional]
    """Folder of the run, or of one of its checkpoints."""
    folder: Annotated[Path, Positional]
    """Where to write it."""


def export(run: Path, folder: Path) -> None:
    """Write a network in float16 and what it takes to use it; CheckpointError where that cannot be."""
    try:
        settings, tensors = (run / SETTINGS).read_text(), load_file(run / NETWORK)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f'{run} holds no trained network that can be read: {error}') from error
    halves = {name: tensor.to(torch.float16) for name, tensor in tensors.items()}
    for name, tensor in halves.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(f'{run}: {name} has weights that float16 cannot hold')
    write_network(folder, halves, settings)


def main() -> None:
    """Run the command; exit with 1 and a message where it cannot be done."""
    options = tyro.cli(Options)
    try:
        export(options.run, options.folder)
    except (Big2Error, OSError) as error:
        sys.exit(str(error))


if __name__ == '__main__':
    main()
