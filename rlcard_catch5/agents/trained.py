"""Trained networks as agents. They play in numpy: nothing needs torch."""

from pathlib import Path

from rlcard_catch5.agents.base import Catch5Agent
from rlcard_catch5.nets.checkpoint import Settings
from rlcard_catch5.nets.player import NumpySuitsValues, load_player
from rlcard_catch5.nets.spec import SuitsValueSpec
from rlcard_kit.nets.agents import DMC, PPO, PolicyAgent, ValueAgent
from rlcard_kit.nets.checkpoint import CheckpointError


class PPOAgent(PolicyAgent, Catch5Agent):
    """Plays by a policy network; info['value'] of `eval_step` is in points.

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
        """
        settings = Settings.load(Path(folder), PPO)
        return cls(load_player(Path(folder), settings.network), greedy, settings.rules)


class DMCAgent(ValueAgent, Catch5Agent):
    """Plays the action of the highest value; values are in points.

    Args:
        network: what says the values.
        trained_on: the rules that it was trained on, if it was.
    """

    @classmethod
    def load(cls, folder: str | Path) -> 'DMCAgent':
        """Load the agent of a run's folder.

        Args:
            folder: of the run, or of one of its checkpoints.

        Raises:
            CheckpointError: if the folder holds no such agent, or one that this version cannot read.
        """
        settings = Settings.load(Path(folder), DMC)
        if not isinstance(settings.network, SuitsValueSpec):
            raise CheckpointError(
                f'{folder} holds a network of kind {settings.network.kind!r}: expected {SuitsValueSpec.kind!r}'
            )
        return cls(NumpySuitsValues(Path(folder), settings.network), settings.rules)
