"""Agents for `rlcard.models.load`: 'big2-dmc' and 'big2-ppo', trained, with weights and cards, and 'big2-rule'."""

import importlib
from operator import attrgetter
from pathlib import Path
from typing import Any

from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.errors import Big2Error

WEIGHTS = Path(__file__).parent


class ModelError(Big2Error):
    """A model that cannot be loaded here."""


class SeatedModel:
    """Four seats of one agent; what RLCard expects of a model."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent

    @property
    def agents(self) -> list[Any]:
        """The agent of each seat."""
        return [self._agent] * NUM_PLAYERS


class RuleModel(SeatedModel):
    """The rule agent, which plans how to shed its hand."""

    def __init__(self) -> None:
        super().__init__(RuleAgent())


class DMCModel(SeatedModel):
    """Deep Monte Carlo on the rules 'charlesworth': the strongest agent here.

    info['values'] holds what each action is worth, in cards: the payoff that is expected, and 5 for winning, of which
    every seat pays a quarter.
    """

    def __init__(self) -> None:
        super().__init__(_load('rlcard_big2.nets.dmc', 'DMCAgent.load', WEIGHTS / 'dmc'))


class PPOModel(SeatedModel):
    """Proximal policy optimisation on the rules 'charlesworth', playing its likeliest actions.

    info['probs'] holds the probability of each action, info['value'] the payoff that is expected, in cards.
    """

    def __init__(self) -> None:
        super().__init__(_load('rlcard_big2.nets.ppo', 'load_greedy', WEIGHTS / 'ppo'))


MODELS = {'big2-dmc': DMCModel, 'big2-ppo': PPOModel, 'big2-rule': RuleModel}


def _load(module: str, loader: str, folder: Path) -> Any:
    """Load an agent whose trainer is imported only now, for it needs torch and imports this package."""
    try:
        load = attrgetter(loader)(importlib.import_module(module))
    except ModuleNotFoundError as error:
        raise ModelError(f"this model needs {error.name}: pip install 'rlcard-big2[train]'") from error
    return load(folder)
