"""A trained policy as an agent."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rlcard_big2.agents.base import BatchAgent, batch_of, pick
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.nets.distribution import log_softmax
from rlcard_big2.nets.features import owners_of
from rlcard_big2.nets.policy import PolicyNetwork, make_network
from rlcard_big2.nets.saved import load_settings, load_weights_from

AGENT = 'ppo'


class PPOAgent(BatchAgent):
    """Plays by a policy network.

    Args:
        network: the policy.
        payoff_unit: what payoffs were divided by when it was trained.
        greedy: plays the likeliest move; otherwise moves are drawn by their probabilities.
    """

    def __init__(self, network: PolicyNetwork, payoff_unit: float = 1.0, greedy: bool = False) -> None:
        super().__init__(seed=0)
        self.network = network.eval()
        self._payoff_unit = payoff_unit
        self._greedy = greedy

    @classmethod
    def load(cls, folder: Path, greedy: bool = False) -> 'PPOAgent':
        """Load the agent of a run's folder; CheckpointError says what is wrong with it."""
        config = load_settings(folder, AGENT)['config']
        network = make_network(config['network'], config['hidden_size'], config['action_size'], config['inputs'])
        load_weights_from(folder, network)
        return cls(network, config['payoff_unit'], greedy)

    def choose(self, observations: Int64Array, masks: Int64Array, offsets: Int64Array, random: Streams) -> Int64Array:
        """Choose by the policy's probabilities; see `BatchAgent.choose`."""
        return pick(self.probabilities(observations, masks, offsets)[0], offsets, random, self._greedy)

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with the network's opinion.

        info['probs'] holds the probability of each raw legal action; info['value'] is the payoff that the network
        expects, in units of one card.
        """
        observations, masks, offsets = batch_of(state)
        probabilities, values = self.probabilities(observations, masks, offsets)
        place = int(pick(probabilities, offsets, self._stream, self._greedy)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        info = {'probs': named, 'value': float(values[0]) * self._payoff_unit}
        return list(state['legal_actions'])[place], info

    def probabilities(
        self, observations: Int64Array, masks: Int64Array, offsets: Int64Array
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Return the probability of each legal move, float64 [M], and the value of each game, float32 [N]."""
        with torch.inference_mode():
            logits, values = self.network(observations, masks, offsets)
            log_probabilities = log_softmax(
                logits, torch.from_numpy(owners_of(offsets)).to(logits.device), len(observations)
            )
        return log_probabilities.cpu().double().exp().numpy(), values.cpu().numpy()


def load_greedy(folder: Path) -> PPOAgent:
    """Load the agent of a run's folder, to play its likeliest moves, as in matches it does; see `PPOAgent.load`."""
    return PPOAgent.load(folder, greedy=True)
