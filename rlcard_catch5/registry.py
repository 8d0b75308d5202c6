"""Agents by name, the same grammar for every command and function."""

from pathlib import Path
from typing import Any

from rlcard_catch5.agents.base import EpsilonAgent
from rlcard_catch5.rules import Rules, find_rules
from rlcard_kit.registry import LIMITS, PROGRAM, AgentNameError, AgentRegistry, AgentSpec

__all__ = ['GRAMMAR', 'KINDS', 'AgentNameError', 'make_agent']

GREEDY = '; greedy plays the likeliest action instead of sampling'
KINDS = {
    'random': AgentSpec('rlcard_catch5.agents.base:RandomAgent', 'any legal action with equal probability'),
    'pass': AgentSpec('rlcard_catch5.agents.baselines:PassAgent', 'passes whenever it may; else random'),
    'suit': AgentSpec('rlcard_catch5.agents.baselines:SuitAgent', 'random, but names its longest suit'),
    'rule': AgentSpec('rlcard_catch5.agents.rule:RuleAgent', 'bids by length and honours, and weighs each card'),
    'catch5-ppo': AgentSpec(
        'rlcard_catch5.models:load_ppo', 'the PPO network that is included, playing its likeliest actions'
    ),
    'dmc': AgentSpec('rlcard_catch5.agents.trained:DMCAgent.load', 'the network of a DMC run', 'FOLDER'),
    'ppo': AgentSpec(
        'rlcard_catch5.agents.trained:PPOAgent.load', 'the network of a PPO run' + GREEDY, 'FOLDER', ('greedy',)
    ),
    'search': AgentSpec(
        'rlcard_catch5.search.agent:SearchAgent',
        "plays out an agent's likeliest moves in sampled deals of the hidden cards, this many for a decision: "
        'search:catch5-ppo,worlds=128',
        'AGENT',
        numbers=('worlds',),
    ),
    'published-ppo': AgentSpec(
        'rlcard_catch5.agents.published:PublishedAgent.load',
        'the published PPO network, from your copy of its file' + GREEDY,
        'FILE',
        ('greedy',),
    ),
    'program': AgentSpec('rlcard_catch5.agents.program:Catch5Program', PROGRAM, 'COMMAND', numbers=LIMITS),
}
REGISTRY = AgentRegistry(KINDS, EpsilonAgent, 'rule', 'rlcard_catch5.models')
GRAMMAR = REGISTRY.grammar


def make_agent(name: str, rules: str | Rules = 'paper') -> Any:
    """Make an agent by name, for a set of rules.

    Args:
        name: see `GRAMMAR`.
        rules: to play by: a `Rules`, or a text as `rlcard_catch5.rules.find_rules` reads it.

    Raises:
        AgentNameError: if the name does not mean an agent; it lists the names.
    """
    return REGISTRY.make(name, find_rules(rules))


def weights_file(name: str, rules: str | Rules = 'paper') -> Path | None:
    """Return the weights file of an agent under some rules, or None if its name does not determine it."""
    return REGISTRY.weights_file(name, find_rules(rules))
