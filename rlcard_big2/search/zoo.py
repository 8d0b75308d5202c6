"""Search as it ships: its networks, and the search agents that names mean."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rlcard_big2.agents.base import GreedyAgent, RandomAgent
from rlcard_big2.agents.rule import RuleAgent
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.nets.agents import DMCAgent
from rlcard_big2.nets.beliefs import BeliefNetwork
from rlcard_big2.nets.spec import Settings
from rlcard_big2.rules import Rules
from rlcard_big2.search.agent import SearchAgent, SearchSettings
from rlcard_big2.search.beliefs import PROPOSALS, Beliefs, MakeBeliefs, Uniform, learned_beliefs
from rlcard_big2.search.kinds import Kinds
from rlcard_big2.search.opponent_model import OpponentModel, model_opponents
from rlcard_big2.search.posterior import MIN_TEMPERATURE, Posterior
from rlcard_kit.agents import Agent, ValueFunction
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.zoo import ModelZoo

WEIGHTS = Path(__file__).parents[1] / 'models'
INIT_PROPOSALS = 4  # for each determinization of the beliefs that the posterior begins with
BELIEFS = ModelZoo(WEIGHTS, {'beliefs': ('beliefs',)}, Settings)
SMALL = ModelZoo(WEIGHTS, {'playouts': ('dmc-playouts',)}, Settings)
load_beliefs = cache(BeliefNetwork.load)


def shipped_beliefs(rules: Rules, proposals: int = PROPOSALS) -> Beliefs:
    """Return the shipped beliefs learned under these rules, or uniform ones if there are none; see `MakeBeliefs`.

    Args:
        rules: to play by.
        proposals: for each determinization that is drawn.
    """
    for folder, learned_under in BELIEFS.rules('beliefs').items():
        if learned_under == rules:
            return learned_beliefs(load_beliefs(folder), proposals)(rules)
    return Uniform(rules)


@cache
def load_small_networks() -> dict[Rules, ValueFunction]:
    """Load the small networks that play in rollouts, by the rules on which they were trained."""
    agents = (DMCAgent.load(folder, numpy=True) for folder in SMALL.rules('playouts'))
    return {agent.trained_on: agent.network for agent in agents if agent.trained_on is not None}


def posterior_beliefs(
    base: DMCAgent,
    temperature: float = 0.0,
    opponents: Agent | None = None,
    others: Sequence[Agent] = (),
    trace: Sequence[int] = (),
) -> MakeBeliefs:
    """Return a maker of the posterior of determinizations given the opponents' moves; see `Posterior`.

    It starts from the shipped beliefs. The likelihood of moves is that of the opponents if they are given, else of the
    small network that is shipped for the rules, else of `base`.

    Args:
        base: prepared for the rules before.
        temperature: of the opponents' softmax over values, in cards.
        opponents: the agent that plays the other seats; prepared for the rules before.
        others: agents as which opponents may play in place of the base, see `Kinds`; prepared for the rules before.
        trace: masks of all moves of a game, for one position of it without `others`; else the last 16 moves count.
    """

    def make(rules: Rules) -> Beliefs:
        model = OpponentModel(load_small_networks().get(rules, base.network), temperature)
        if opponents is not None:
            model = model_opponents(opponents, temperature)
        models = [
            OpponentModel(network, max(MIN_TEMPERATURE, heat))
            for network, heat in (model, *(model_opponents(agent, 0.0) for agent in others))
        ]
        initial = shipped_beliefs(rules, INIT_PROPOSALS)
        if others:
            return Kinds(initial, models, tabulate(rules))
        return Posterior(initial, models[0].network, tabulate(rules), models[0].temperature, trace=trace)

    return make


def load_search(
    base: DMCAgent, *, uniform: bool = False, learned: bool = False, adaptive: bool = False, **settings: Any
) -> SearchAgent:
    """Make the agent of a name such as `search:big2-dmc,worlds=96`; see `SearchAgent`.

    Args:
        base: whose moves are searched.
        uniform: draw determinizations uniformly.
        learned: draw them by the shipped beliefs, without the opponents' last moves.
        adaptive: find out by their last moves whether opponents play like the base, or like `rule`, `greedy` or
            `random`.
        settings: of `SearchSettings`, but for `others`.

    Raises:
        ConfigError: see `SearchSettings`; or if both kinds of beliefs are given, or `adaptive` beside others.
    """
    if uniform and learned:
        raise ConfigError('search takes uniform or learned: both are given')
    if adaptive and (uniform or learned or settings.get('opponents') is not None):
        raise ConfigError('search takes adaptive, or learned, uniform or opponents: both are given')
    search = SearchSettings(**settings, others=[RuleAgent(), GreedyAgent(), RandomAgent(0)] if adaptive else [])
    posterior = posterior_beliefs(base, search.temperature, search.opponents, search.others)
    beliefs = Uniform if uniform else shipped_beliefs if learned else posterior
    return SearchAgent(base, search, beliefs, load_small_networks())
