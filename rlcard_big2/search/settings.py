"""Settings of search: its budget, and how the opponents play in rollouts."""

from collections.abc import Sequence
from dataclasses import dataclass

from rlcard_kit.agents import Agent
from rlcard_kit.errors import ConfigError, check_whole, is_number

MOST_WORLDS = 1_000_000
LONGEST = 3_600_000.0  # ms
HOTTEST = 100.0  # cards


@dataclass(frozen=True)
class SearchSettings:
    """Budget of search, in worlds, which repeats the same moves, or in milliseconds, and models of the opponents.

    Raises:
        ConfigError: if both budgets or none are given, or a number is out of bounds.
    """

    worlds: int | None = None
    """Determinizations for each decision."""
    milliseconds: float | None = None
    """For each decision, by the clock; the last round of rollouts may end a little later."""
    temperature: float = 0.0
    """Of the opponents' softmax over the base's values in rollouts, in cards; 0 plays the best move. Set one against
    opponents that play less well than the base."""
    opponents: Agent | None = None
    """The agent that plays the other seats, if known; it chooses for them in rollouts. See `model_opponents`."""
    others: Sequence[Agent] = ()
    """Agents as which opponents may play in place of the base, if the beliefs find so; see `Kinds`."""

    def __post_init__(self) -> None:
        _check_budget(self.worlds, self.milliseconds)
        if not (is_number(self.temperature) and 0 <= self.temperature <= HOTTEST):
            expected = f'expected a number from 0 to {HOTTEST:g}, in cards'
            raise ConfigError(f'temperature={self.temperature!r:.80}: {expected}')


def _check_budget(worlds: int | None, milliseconds: float | None) -> None:
    """Raise ConfigError unless exactly one budget is given, and within bounds."""
    if (worlds is None) == (milliseconds is None):
        given = 'both' if worlds is not None else 'neither'
        raise ConfigError(f'search takes worlds or milliseconds for a decision: {given} are given')
    if worlds is not None:
        check_whole('worlds', worlds, 1, MOST_WORLDS)
    elif not (is_number(milliseconds) and 0 < milliseconds <= LONGEST):
        raise ConfigError(f'milliseconds={milliseconds!r:.80}: expected a number above 0, at most {LONGEST:,.0f}')
