"""Each seat's own transitions in a game of PettingZoo, with its payoff at its last decision."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from numpy.typing import NDArray


class Transition(NamedTuple):
    """A decision of a seat, and what the seat sees at its next one, or at the end."""

    observation: NDArray[Any]
    mask: NDArray[Any]
    action: int
    reward: float
    """0, but the payoff of the game at the seat's last decision."""
    next_observation: NDArray[Any]
    next_mask: NDArray[Any]
    """Zeros at the end."""
    is_last: bool


def play_transitions(
    env: Any, choose: Callable[[str, dict[str, Any]], Any], seed: int | None = None
) -> Iterator[tuple[str, Transition]]:
    """Play a game, and yield each transition once it is complete, with the agent whose it is.

    In a turn-based game, a loop over steps gives the next view to another seat, and the end to the seat that moved
    last alone. A seat that never moves has no transition.

    Args:
        env: an AEC environment whose observations have 'observation' and 'action_mask'.
        choose: returns an action for an agent and its observation.
        seed: of `reset`.
    """
    env.reset(seed=seed)
    waiting: dict[str, tuple[Any, Any, int]] = {}
    for agent in env.agent_iter():
        seen, reward, terminated, truncated, _ = env.last()
        view, is_last = (seen['observation'], seen['action_mask']), terminated or truncated
        if agent in waiting:
            yield agent, Transition(*waiting.pop(agent), reward, *view, is_last)
        action = None if is_last else choose(agent, seen)
        if action is not None:
            waiting[agent] = *view, int(action)
        env.step(action)
