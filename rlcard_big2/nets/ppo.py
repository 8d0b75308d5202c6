"""A trained policy as an agent; its networks need torch."""

from pathlib import Path

from typing_extensions import override

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.nets.checkpoint import Settings
from rlcard_kit.nets.agents import Policy, PolicyAgent
from rlcard_kit.nets.checkpoint import require_torch
from rlcard_kit.nets.spec import PolicySpec


class PPOAgent(PolicyAgent, BatchAgent):
    """Plays by a policy network; info['value'] of `eval_step` is in cards. See `PolicyAgent`."""

    settings_type = Settings

    @staticmethod
    @override
    def load_network(folder: Path, spec: PolicySpec) -> Policy:
        require_torch('a PPO network')
        from rlcard_big2.nets.networks import load_network, make_network  # here, since it imports torch

        return load_network(folder, make_network(spec))
