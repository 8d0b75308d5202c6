"""A network as a torch module of tensors alone, for other libraries and for files that they read."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from typing_extensions import override

from rlcard_kit.agents import Positions
from rlcard_kit.nets.policy import PolicyNetwork, log_softmax
from rlcard_kit.nets.spec import Columns, NetworkInputs
from rlcard_kit.nets.value import MoveValueNetwork


class NetworkModule(nn.Module):
    """A network whose inputs and outputs are tensors: call it, train it further, or export it::

        module = make_agent('big2-dmc', 'hong-kong').torch_module()
        values = module(**module.inputs(env.positions()))

    Args:
        network: of a kind that has a method `evaluate`.
        inputs_of: returns the inputs of a network of its spec as arrays; `network_inputs` of its game.
        columns_of: returns what their columns are; `input_columns` of its game.
    """

    def __init__(
        self,
        network: MoveValueNetwork | PolicyNetwork,
        inputs_of: Callable[[Any, Positions], NetworkInputs],
        columns_of: Callable[[Any], Mapping[str, Columns]],
    ) -> None:
        super().__init__()
        self.network = network
        self.columns = columns_of(network.spec)
        self._inputs_of = inputs_of
        self.eval()

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of what `forward` returns."""
        return ('log_probabilities', 'values') if isinstance(self.network, PolicyNetwork) else ('values',)

    def inputs(self, positions: Positions) -> dict[str, Tensor]:
        """Return the inputs for N positions with M legal moves by name, on the device and in the precision it has.

        See the `network_inputs` of the game, which returns them as arrays.
        """
        arrays = self._inputs_of(self.network.spec, positions).items()
        floats, kept = self.network.as_input, self.network.device
        return {name: floats(x) if x.dtype == np.float32 else torch.from_numpy(x).to(kept) for name, x in arrays}

    @override
    def forward(
        self, observations: Tensor, actions: Tensor, owners: Tensor, stakes: Tensor | None = None
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Return the values of all legal moves; of a policy, their log-probabilities and the values of all games.

        Args:
            observations: what each seat to move sees, [N, features].
            actions: the legal moves: features, [M, features], or numbers, int64 [M].
            owners: the row of `observations` that each move belongs to, int64 [M], ascending.
            stakes: payoff in one unit of each game's values, [N], if the network sees the rules.

        Returns:
            Values in payoff, float32 [M]. Of a policy: log-probabilities, float32 [M], and values, float32 [N].
        """
        if isinstance(self.network, PolicyNetwork):
            logits, of_games = self.network.evaluate(observations, actions, owners)
            return log_softmax(logits, owners, observations.shape[0]), of_games * self.network.spec.payoff_unit
        values = self.network.evaluate(observations, actions, owners)
        return values if stakes is None else values * stakes[owners]
