"""Models that come with the package: weights, settings and a card of each, and the agents that play by them.

`python -m rlcard_big2.models` lists them. `models.load('big2-dmc')` loads one as RLCard does, after `from rlcard import
models`; `rlcard_big2.registry.make_agent('big2-dmc')` loads its agent without importing RLCard's own models.
"""

from pathlib import Path

from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.nets.agents import DMCAgent, DMCByRules, PPOAgent
from rlcard_big2.nets.spec import Settings
from rlcard_big2.search.zoo import BELIEFS, SMALL, load_search, posterior_beliefs
from rlcard_kit.envs.rlcard_env import AgentModel
from rlcard_kit.nets.zoo import Description, ModelZoo

__all__ = ['posterior_beliefs']

WEIGHTS = Path(__file__).parent
WORLDS = 64  # of the model 'big2-search', for each decision
BEFORE = 'big2-dmc-2026-11'
SHIPPED = ModelZoo(
    WEIGHTS,
    {'big2-dmc': ('dmc', 'dmc-tables'), BEFORE: ('dmc-2026-11', 'dmc-tables'), 'big2-ppo': ('ppo',)},
    Settings,
)


def describe_models() -> list[Description]:
    """Describe each shipped model and the networks of search. No network is loaded."""
    return SHIPPED.describe() + BELIEFS.describe() + SMALL.describe()


def load_dmc(numpy: bool = False) -> DMCAgent:
    """Load the agent 'big2-dmc', with a network for `charlesworth` and one for all rules; see `DMCAgent.load`."""
    return DMCByRules(SHIPPED.rules('big2-dmc'), numpy)


def load_dmc_before(numpy: bool = False) -> DMCAgent:
    """Load the agent that was 'big2-dmc' until 27 November 2026; see `load_dmc`."""
    return DMCByRules(SHIPPED.rules(BEFORE), numpy)


def load_ppo() -> PPOAgent:
    """Load the agent 'big2-ppo', which plays its likeliest actions; see `PPOAgent.load`."""
    return PPOAgent.load(WEIGHTS / 'ppo', greedy=True)


class RuleModel(AgentModel):
    """The rule agent, which plans how to shed its hand."""

    make = RuleAgent


class DMCModel(AgentModel):
    """Deep Monte Carlo, with a network for `charlesworth` and one for all other rules: the strongest agent here.

    info['values'] holds the value of each action in cards: the expected payoff, with 5 for winning, of which every seat
    pays a quarter.
    """

    make = staticmethod(load_dmc)


class PPOModel(AgentModel):
    """Proximal policy optimisation on the rules 'charlesworth', playing its likeliest actions.

    info['probs'] holds the probability of each action, info['value'] the expected payoff in cards.
    """

    make = staticmethod(load_ppo)


class SearchModel(AgentModel):
    """The network of `DMCModel`, which plays its best moves on in 64 worlds before it moves; needs no torch.

    Beside info['values'], info['estimates'] holds what the moves that it looked at are worth, in cards; see
    `rlcard_big2.search.agent.SearchAgent.eval_step`.
    """

    make = staticmethod(lambda: load_search(load_dmc(numpy=True), worlds=WORLDS))


MODELS = {'big2-dmc': DMCModel, 'big2-ppo': PPOModel, 'big2-rule': RuleModel, 'big2-search': SearchModel}
