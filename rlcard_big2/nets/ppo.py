"""A trained policy as an agent; its networks need torch."""

from pathlib import Path
from typing import Any, Protocol

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.lockstep.agent import pick
from rlcard_big2.lockstep.arrays import Float64Array
from rlcard_big2.lockstep.positions import Choice, Positions
from rlcard_big2.lockstep.random import Streams
from rlcard_big2.nets.backend import require_torch
from rlcard_big2.nets.saved import CheckpointError, load_settings
from rlcard_big2.nets.spec import PolicySpec
from rlcard_big2.rules import Rules

AGENT = 'ppo'


class Policy(Protocol):
    """Anything that says how likely each legal move should be."""

    def probabilities(self, positions: Positions) -> tuple[Float64Array, Float64Array]:
        """Return the probability of each legal move, [M], and the value of each game in cards, [N], both float64."""
        ...


class PPOAgent(BatchAgent):
    """Plays by a policy network.

    Args:
        network: the policy.
        greedy: play the likeliest move; otherwise moves are sampled.
        trained_on: the rules that it was trained on, if it was.
    """

    def __init__(self, network: Policy, greedy: bool = False, trained_on: Rules | None = None) -> None:
        super().__init__(seed=0)
        self.network = network
        self.trained_on = trained_on
        self._greedy = greedy

    @classmethod
    def load(cls, folder: str | Path, greedy: bool = False) -> 'PPOAgent':
        """Load the agent of a run's folder.

        Args:
            folder: of the run, or of one of its checkpoints.
            greedy: play the likeliest move; otherwise moves are sampled.

        Raises:
            CheckpointError: if the folder holds no such agent, or one that this version cannot read.
            MissingTorchError: if torch is not installed.
        """
        folder = Path(folder)
        settings = load_settings(folder, AGENT)
        if not isinstance(settings.network, PolicySpec):
            raise CheckpointError(f'{folder} holds a network of kind {settings.network.kind!r}: expected a policy')
        require_torch('a PPO network')
        from rlcard_big2.nets.networks import load_network  # here, since it imports torch

        return cls(load_network(folder, settings.network), greedy, settings.rules)

    def choose(self, positions: Positions, random: Streams) -> Choice:
        """Choose by the policy's probabilities; see `Chooser.choose`."""
        probabilities, _ = self.network.probabilities(positions)
        return Choice(pick(probabilities, positions.offsets, random, self._greedy))

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return the action id for a state, with the network's opinion.

        info['probs'] holds the probability of each raw legal action; info['value'] is the expected payoff in cards.
        """
        positions = self.positions_of(state)
        probabilities, values = self.network.probabilities(positions)
        index = int(pick(probabilities, positions.offsets, self._stream, self._greedy)[0])
        named = dict(zip(state['raw_legal_actions'], probabilities.tolist(), strict=True))
        return list(state['legal_actions'])[index], {'probs': named, 'value': float(values[0])}


def load_greedy(folder: str | Path) -> PPOAgent:
    """Load the agent of a run's folder in greedy mode, as evaluation does; see `PPOAgent.load`."""
    return PPOAgent.load(folder, greedy=True)
