"""Agents by name, one grammar everywhere."""

import importlib
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.mixed import EpsilonAgent
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.errors import Big2Error, describe
from rlcard_big2.lookup import OWN, NotFoundError, find, find_own
from rlcard_big2.rules import Rules


class Kind(NamedTuple):
    """What a name stands for."""

    entry_point: str  # of the class or function that makes the agent; imported when asked for, since some need torch
    help: str
    takes: str = ''  # what follows the name and a colon: FOLDER or FILE
    words: tuple[str, ...] = ()  # options, each true if it is given

    def usage(self, name: str) -> str:
        """Return how the name is written."""
        return name + f':{self.takes}' * bool(self.takes) + ''.join(f'[,{word}]' for word in self.words)


GREEDY = '; greedy plays the likeliest action instead of sampling'
NUMPY = '; numpy plays without torch even if it is installed'
KINDS = {
    'random': Kind('rlcard_big2.agents.random:RandomAgent', 'any legal action with equal probability'),
    'greedy': Kind('rlcard_big2.agents.greedy:GreedyAgent', 'the lowest of the longest moves'),
    'rule': Kind('rlcard_big2.agents.rule:RuleAgent', 'a heuristic that plans how to shed its hand'),
    'big2-dmc': Kind('rlcard_big2.models:load_dmc', 'the strongest network that is included' + NUMPY, '', ('numpy',)),
    'big2-ppo': Kind('rlcard_big2.models:load_ppo', 'the PPO network that is included, playing its likeliest actions'),
    'dmc': Kind('rlcard_big2.nets.dmc:DMCAgent.load', 'the network of a DMC run' + NUMPY, 'FOLDER', ('numpy',)),
    'ppo': Kind('rlcard_big2.nets.ppo:PPOAgent.load', 'the network of a PPO run' + GREEDY, 'FOLDER', ('greedy',)),
    'published-ppo': Kind(
        'rlcard_big2.agents.published:PublishedAgent.load',
        'the published PPO network, from your copy of its file' + GREEDY,
        'FILE',
        ('greedy',),
    ),
}
OTHERS = {
    '...,epsilon=SHARE': 'any of these, with that share of random moves: greedy,epsilon=0.05',
    'NAME': 'a model registered with rlcard.models',
    'python:MODULE:FACTORY': "what FACTORY() of your module returns, an agent with RLCard's eval_step",
}


def _grammar() -> str:
    """Return a line or more for each name, at most 80 characters wide."""
    lines = {kind.usage(name): kind.help for name, kind in KINDS.items()} | OTHERS
    return ''.join(
        '\n' + fill(text, 80, initial_indent=f'  {usage:<29}', subsequent_indent=' ' * 31)
        for usage, text in lines.items()
    )


GRAMMAR = _grammar() + '\n'


class AgentNameError(Big2Error):
    """A name that does not mean an agent."""


def make_agent(name: str, rules: str | Rules = 'charlesworth') -> Any:
    """Make the agent that a name means, for a set of rules.

    Args:
        name: see `GRAMMAR`.
        rules: that it is to play by: a `Rules`, or a text as `rlcard_big2.rules.find_rules` reads it.

    Raises:
        AgentNameError: if the name does not mean an agent; it says what is possible.
    """
    rules = BIG2.rules(rules)
    agent = _make(name)
    if isinstance(agent, BatchAgent):
        agent.prepare(rules)
    return agent


def _make(name: str) -> Any:
    if name.startswith(OWN):
        return _make_own(name)
    head, *options = name.split(',')
    kind, colon, path = head.partition(':')
    if kind not in KINDS:
        return _load_model(name)
    made_by = KINDS[kind]
    if bool(path) != bool(made_by.takes) or (colon and not path):
        raise AgentNameError(f'{name!r}: write {made_by.usage(kind)}')
    settings, epsilon = _parse_options(name, made_by, options)
    paths = [Path(path).expanduser()] if path else []
    agent = _call(name, find(made_by.entry_point), *paths, **settings)
    return agent if epsilon is None else EpsilonAgent(agent, epsilon)


def weights_file(name: str) -> Path | None:
    """Return the file that holds the weights of an agent, or None if the name does not say."""
    kind, _, path = name.split(',')[0].partition(':')
    if kind in KINDS and KINDS[kind].entry_point.startswith('rlcard_big2.models:'):
        from rlcard_big2.models import SHIPPED, WEIGHTS

        return WEIGHTS / SHIPPED[kind] / 'network.safetensors'
    if kind not in KINDS or not KINDS[kind].takes:
        return None
    file = Path(path).expanduser()
    return file / 'network.safetensors' if file.is_dir() else file


def _parse_options(name: str, kind: Kind, options: list[str]) -> tuple[dict[str, bool], float | None]:
    """Return the words among the options of a name as settings that are true, and its epsilon."""
    settings, epsilon = {}, None
    for option in options:
        if option.startswith('epsilon='):
            epsilon = _parse_epsilon(name, option.removeprefix('epsilon='))
        elif option in kind.words:
            settings[option] = True
        else:
            known = ', '.join([*kind.words, 'epsilon=SHARE'])
            raise AgentNameError(f'{name!r} has no option {option!r}: it takes {known}')
    return settings, epsilon


def _parse_epsilon(name: str, text: str) -> float:
    try:
        epsilon = float(text)
    except ValueError as error:
        raise AgentNameError(f'{name!r}: epsilon={text} is not a number') from error
    if not 0 <= epsilon <= 1:
        raise AgentNameError(f'{name!r}: epsilon={text} is not a share from 0 to 1')
    return epsilon


def _make_own(name: str) -> Any:
    try:
        factory = find_own(name)
    except NotFoundError as error:
        raise AgentNameError(f'{name!r}: {error}') from error
    agent = _call(name, factory)
    if not isinstance(agent, BatchAgent) and not (hasattr(agent, 'eval_step') and hasattr(agent, 'use_raw')):
        raise AgentNameError(f"{name!r} gave {type(agent).__name__}: an agent has RLCard's eval_step and use_raw")
    return agent


def _load_model(name: str) -> Any:
    """Load the first agent of a model registered with RLCard."""
    try:
        models = importlib.import_module('rlcard.models.registration').model_registry
    except Exception as error:  # it imports RLCard's agents, which need distutils and a pip to ask
        raise AgentNameError(f'{_unknown(name, [])}; rlcard.models cannot be imported: {error}') from error
    if name not in models.model_specs:
        raise AgentNameError(_unknown(name, list(models.model_specs)))
    return _call(name, lambda: models.load(name).agents[0])


def _unknown(name: str, models: list[str]) -> str:
    kind = name.split(',')[0].partition(':')[0]
    near = get_close_matches(kind, [*KINDS, 'python', *models], 1)
    hint = f'did you mean {near[0]!r}? ' if near else ''
    possible = ', '.join(kind.usage(name) for name, kind in KINDS.items())
    return (
        f'{name!r} is not the name of an agent: {hint}choose {possible}, python:MODULE:FACTORY, '
        f'or a model registered with rlcard.models'
    )


def _call(name: str, factory: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    try:
        return factory(*arguments, **settings)
    except (Exception, SystemExit) as error:  # a user's factory may raise anything
        raise AgentNameError(f'{name!r} cannot be made: {describe(error)}') from error
