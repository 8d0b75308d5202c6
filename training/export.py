"""The command `export`: a run's current network in half precision, to be shipped."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from tyro import MISSING
from tyro.conf import Positional, Suppress, arg

from rlcard_big2.nets.saved import load_settings, read_weights
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
        CheckpointError: if the run holds no such network, or one that this version cannot read.
    """
    settings = load_settings(run, agent)
    halves = {name: torch.tensor(array, dtype=torch.float16) for name, array in read_weights(run).items()}
    write_network(folder, halves, settings)
