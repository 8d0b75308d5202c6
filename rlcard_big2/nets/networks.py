"""Networks in torch, made from their specs and loaded from folders."""

from pathlib import Path
from typing import TypeVar, overload

from torch import nn

from rlcard_big2.nets.policy import ActionNetwork, CharlesworthNetwork
from rlcard_big2.nets.spec import ActionSpec, CharlesworthSpec, ValueSpec
from rlcard_big2.nets.value import ValueNetwork
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.policy import PolicyNetwork
from rlcard_kit.nets.spec import NetworkSpec, PolicySpec
from rlcard_kit.nets.weights import load_weights_from

Network = TypeVar('Network', bound=nn.Module)


@overload
def make_network(spec: ValueSpec) -> ValueNetwork: ...
@overload
def make_network(spec: PolicySpec) -> PolicyNetwork: ...
def make_network(spec: NetworkSpec) -> ValueNetwork | PolicyNetwork:
    """Make the network that a spec describes, in float32, its weights drawn from torch's generator.

    Raises:
        ConfigError: if there is no such network.
    """
    match spec:
        case ValueSpec():
            return ValueNetwork(spec).float()
        case ActionSpec():
            return ActionNetwork(spec).float()
        case CharlesworthSpec():
            return CharlesworthNetwork(spec).float()
    raise ConfigError(f'{spec!r} is not the spec of a network')


def load_network(folder: Path, network: Network) -> Network:
    """Return a network with the weights in a folder, to play with.

    Raises:
        CheckpointError: if the weights cannot be read or do not fit.
    """
    load_weights_from(folder, network)
    return network.eval()
