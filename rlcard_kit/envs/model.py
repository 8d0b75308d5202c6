"""Models as RLCard has them, whatever the game: an agent for every seat, by a name that RLCard's registry knows."""

from collections.abc import Mapping
from typing import Any

SEATS = 4  # of both games


class SeatedModel:
    """One agent in all seats; what RLCard expects of a model.

    Args:
        agent: the agent.
        num_seats: of the game.
    """

    def __init__(self, agent: Any, num_seats: int = SEATS) -> None:
        self._agent, self._num_seats = agent, num_seats

    @property
    def agents(self) -> list[Any]:
        """The agent of each seat."""
        return [self._agent] * self._num_seats


def register_models(rlcard_models: Any, models: Mapping[str, type[SeatedModel]]) -> None:
    """Register models by name in RLCard's module of models, unless it has them."""
    for name, model in models.items():
        if name not in rlcard_models.registration.model_registry.model_specs:
            rlcard_models.register(model_id=name, entry_point=f'{model.__module__}:{model.__name__}')
