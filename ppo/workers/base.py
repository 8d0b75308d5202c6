"""Interface of the workers that play rollouts: this process, or actors on a cluster.

See `in_process.py` and `ray_workers.py`. Both read the learner and its earlier selves.
"""

from typing import NamedTuple, Protocol

from torch import Tensor

from ppo.rollout import Batch
from training.workers import WorkerPool


class Played(NamedTuple):
    """The rollouts of one update."""

    batch: Batch
    staleness: float  # updates since the weights that played it; the mean of its rollouts


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
        """Continue from what `tensors` returned, of whatever workers."""
        ...
