"""What a run starts from, if its weights are not to be drawn: the network in a folder."""

from pathlib import Path
from typing import TypeVar

from torch import nn

from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.nets.weights import load_weights_from
from training.config import RunConfig

N = TypeVar('N', bound=nn.Module)


def started(config: RunConfig, network: N) -> N:
    """Set a network to the weights that its run starts from, if it is new and its settings name some; return it.

    Raises:
        ConfigError: if the folder holds no network, or one of another game, agent, kind or size.
    """
    if config.run.start_from is None or config.run.resume:  # a resumed run has weights of its own
        return network
    folder = Path(config.run.start_from)
    try:
        found = config.learned.settings.load(folder, config.agent).network
        if found != config.spec:
            raise ConfigError(
                f'start_from={config.run.start_from}: it holds {found}; these settings are for {config.spec}'
            )
        load_weights_from(folder, network)
    except CheckpointError as error:
        raise ConfigError(f'start_from={config.run.start_from}: {error}') from error
    return network
