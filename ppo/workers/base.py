"""Interface between the learner and the workers that play rollouts: two protocols, one for each side.

Workers know only `Policies`, the learner knows only `Workers`. Rollouts are played by this process
(`in_process.py`) or by actors on the nodes of a cluster (`ray_workers.py`).
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ppo.pool import Drawn
from ppo.rollout import Batch
from rlcard_kit.nets.policy import PolicyNetwork
from training.workers import WorkerPool

Weights = NDArray[np.float32]  # [num_weights], as `dump_weights` returns them


class Played(NamedTuple):
    """The rollouts of one update."""

    batch: Batch
    staleness: float  # updates since the weights that played it; the mean of its rollouts


class Policies(Protocol):
    """The learner as the workers see it."""

    @property
    def updates(self) -> int:
        """Updates since the run began: a policy is new after each."""
        ...

    @property
    def network(self) -> PolicyNetwork:
        """The policy, which the learner changes with every update."""
        ...

    @property
    def dtype(self) -> torch.dtype:
        """The precision in which the learner's device computes."""
        ...

    def weights(self) -> Weights:
        """Return the weights of the policy.

        Raises:
            DivergenceError: if any is NaN, infinite or too large, so that nobody plays by them.
        """
        ...

    def follow(self) -> None:
        """Add the policy to the earlier selves if it is time to; called once per update, before its rollouts."""
        ...

    def draw(self, *of: int) -> Drawn | None:
        """Draw an opponent, see `Pool.draw`; None if there is no pool."""
        ...

    def earlier_selves(self) -> Mapping[int, Tensor]:
        """Return the weights of the earlier selves that may be drawn, by number; see `Pool.members`."""
        ...


class Workers(WorkerPool, Protocol):
    """The learner's side of the seam: whoever plays rollouts."""

    def start(self, started: int) -> None:
        """Make ready to play; `started` is what it was when the run was saved, if it is resumed."""
        ...

    def collect(self) -> Played | None:
        """Play; return the rollouts of the next update, or None if they are not complete after a moment."""
        ...

    def tensors(self) -> dict[str, Tensor]:
        """Return the games in progress, if they can be resumed."""
        ...

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `tensors` once returned, whoever played then."""
        ...
