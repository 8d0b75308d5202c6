"""A trained policy as an agent; its networks need torch."""

from pathlib import Path

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.nets.checkpoint import Settings
from rlcard_kit.nets.agents import PPO, PolicyAgent
from rlcard_kit.nets.checkpoint import CheckpointError, require_torch
from rlcard_kit.nets.spec import PolicySpec


class PPOAgent(PolicyAgent, BatchAgent):
    """Plays by a policy network; info['value'] of `eval_step` is in cards.

    Args:
        network: the policy.
        greedy: play the likeliest move; otherwise moves are sampled.
        trained_on: the rules that it was trained on, if it was.
    """

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
        settings = Settings.load(folder, PPO)
        if not isinstance(settings.network, PolicySpec):
            raise CheckpointError(f'{folder} holds a network of kind {settings.network.kind!r}: expected a policy')
        require_torch('a PPO network')
        from rlcard_big2.nets.networks import load_network, make_network  # here, since it imports torch

        return cls(load_network(folder, make_network(settings.network)), greedy, settings.rules)
