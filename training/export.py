"""The command `export`: a run's current network in half precision, to be shipped."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
from rich.console import Console
from tyro import MISSING
from tyro.conf import Positional, Suppress, arg

from rlcard_big2.files import checksum
from rlcard_big2.nets.saved import NETWORK, SETTINGS, CheckpointError, Settings, load_settings, read_weights
from training.checkpoint import write_network
from training.record import TRAINING


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
        """Copy it, and say what was written."""
        settings = export(self.source, self.folder, self.agent)
        weights = self.folder / NETWORK
        text = (
            f'wrote {self.folder}: {NETWORK} ({weights.stat().st_size / 1e6:.1f} MB, SHA-256 {checksum(weights)}) and '
            f'{SETTINGS}: {settings.frames:,} frames, rules {settings.rules.title}\n'
            f"it plays as '{self.agent}:{self.folder}'"
        )
        Console().print(text, soft_wrap=True, markup=False, highlight=False)


def export(run: Path, folder: Path, agent: str) -> Settings:
    """Write the network of a run in float16, and what it takes to play by it; return the latter.

    Args:
        run: folder of the run, or of one of its checkpoints.
        folder: to write to.
        agent: the kind of agent that the run has trained, 'dmc' or 'ppo'.

    Raises:
        CheckpointError: if the run holds no such network, or one that this version cannot read,
            or if the folder is that of a run.
    """
    settings = load_settings(run, agent)
    if (folder / TRAINING).exists() or (folder.exists() and folder.samefile(run)):
        raise CheckpointError(f'{folder} is the folder of a run: choose another, since its network would be lost')
    halves = {name: torch.tensor(array, dtype=torch.float16) for name, array in read_weights(run).items()}
    write_network(folder, halves, settings)
    return settings
