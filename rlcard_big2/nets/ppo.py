"""A trained policy as an agent."""

from pathlib import Path
from typing import Any

import torch

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.agent import choose_by_probability, choose_highest
from rlcard_big2.lockstep.arrays import Float32Array, Float64Array, Int64Array
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.nets.distribution import log_softmax
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

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose by the policy's probabilities; see `Chooser.choose`."""
        return Choice(self._pick(self.probabilities(positions)[0], positions, random))

    def _pick(self, probabilities: Float64Array, positions: Positions, random: Streams) -> Int64Array:
        if self._greedy:
            return choose_highest(probabilities, positions.offsets)
        return choose_by_probability(probabilities, positions.offsets, random)

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with the network's opinion.

        info['probs'] holds the probability of each raw legal action; info['value'] is the payoff that the network
        expects, in units of one card.
        """
        positions = self.positions_of(state)
        probabilities, values = self.probabilities(positions)
        index = int(self._pick(probabilities, positions, self._stream)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        info = {'probs': named, 'value': float(values[0]) * self._payoff_unit}
        return list(state['legal_actions'])[index], info

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float32Array]:
        """Return the probability of each legal move, float64 [M], and the value of each game, float32 [N]."""
        with torch.inference_mode():
            logits, values = self.network(positions)
            owners = torch.from_numpy(positions.owners).to(logits.device)
            log_probabilities = log_softmax(logits, owners, len(values))
        return log_probabilities.cpu().double().exp().numpy(), values.cpu().numpy()


def load_greedy(folder: Path) -> PPOAgent:
    """Load the agent of a run's folder, to play its likeliest moves, as in matches it does; see `PPOAgent.load`."""
    return PPOAgent.load(folder, greedy=True)
