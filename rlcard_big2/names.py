"""Agents by name, one grammar everywhere."""

import importlib
import os
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, cast

from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.mixed import EpsilonAgent
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.errors import Big2Error, describe
from rlcard_big2.rules import Rules


class Kind(NamedTuple):
    """What makes an agent, and the bare words that may follow its name."""

    entry_point: str  # imported when asked for: a trainer's agent needs torch, and trainers import this package
    words: tuple[str, ...] = ()


PLAIN = {
    'random': Kind('rlcard_big2.agents.random:RandomAgent'),
    'greedy': Kind('rlcard_big2.agents.greedy:GreedyAgent'),
    'rule': Kind('rlcard_big2.agents.rule:RuleAgent'),
    'big2-dmc': Kind('rlcard_big2.models:load_dmc', ('numpy',)),
    'big2-ppo': Kind('rlcard_big2.models:load_ppo'),
}
FROM_FILE = {
    'dmc': Kind('rlcard_big2.nets.dmc:DMCAgent.load', ('numpy',)),
    'ppo': Kind('rlcard_big2.nets.ppo:PPOAgent.load', ('greedy',)),
    'published-ppo': Kind('rlcard_big2.agents.published:PublishedAgent.load', ('greedy',)),
}

GRAMMAR = """
  random, greedy, rule         agents of this package
  big2-dmc[,numpy], big2-ppo   the trained networks that come with it; numpy
                               plays without torch even if it is installed
  dmc:FOLDER[,numpy]           the network of a training run: dmc:runs/dmc
  ppo:FOLDER[,greedy]          the network of a PPO run: ppo:runs/ppo; draws its
                               moves, or plays the likeliest
  published-ppo:FILE[,greedy]  the published PPO network, from your copy of its
                               file; draws its moves, or plays the likeliest
  ...,epsilon=SHARE            any of these, with that share of random moves:
                               greedy,epsilon=0.05
  NAME                         a model registered with rlcard.models
  python:MODULE:FACTORY        what FACTORY() of your module returns, an agent
                               with RLCard's eval_step: python:my_agents:make
"""


class AgentNameError(Big2Error):
    """A name that means no agent."""


def make_agent(name: str, rules: str | Rules = 'charlesworth') -> Any:
    """Make the agent that a name means, for a set of rules.

    Args:
        name: see `GRAMMAR`.
        rules: that it is to play by, a preset's name or a `Rules`.

    Raises:
        AgentNameError: if the name does not mean an agent; it says what is possible.
    """
    rules = BIG2.rules(rules)
    agent = _make(name)
    if isinstance(agent, BatchAgent):
        agent.prepare(rules)
    return agent


def _make(name: str) -> Any:
    if name.startswith('python:'):
        return _make_own(name)
    head, *options = name.split(',')
    kind, colon, path = head.partition(':')
    if kind not in PLAIN and kind not in FROM_FILE:
        return _load_model(name)
    if bool(path) != (kind in FROM_FILE) or (colon and not path):
        raise AgentNameError(f'{name!r}: write {f"{kind}:PATH" if kind in FROM_FILE else kind}')
    made_by = (PLAIN | FROM_FILE)[kind]
    settings, epsilon = _parse_options(name, made_by, options)
    paths = [Path(path).expanduser()] if path else []
    agent = _call(name, _find(name, made_by.entry_point), *paths, **settings)
    return agent if epsilon is None else EpsilonAgent(agent, epsilon)


def weights_file(name: str) -> Path | None:
    """Return the file that holds the weights of an agent, or None where its name tells of none."""
    kind, _, path = name.split(',')[0].partition(':')
    if kind not in FROM_FILE:
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
        raise AgentNameError(f'{name!r}: epsilon={text} is no number') from error
    if not 0 <= epsilon <= 1:
        raise AgentNameError(f'{name!r}: epsilon={text} is no share from 0 to 1')
    return epsilon


def _make_own(name: str) -> Any:
    _, *parts = name.split(':')
    if len(parts) != 2 or not all(parts):
        raise AgentNameError(f'{name!r}: write python:MODULE:FACTORY')
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` does and a console script does not
    agent = _call(name, _find(name, ':'.join(parts)))
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
    near = get_close_matches(kind, [*PLAIN, *FROM_FILE, 'python', *models], 1)
    hint = f'did you mean {near[0]!r}? ' if near else ''
    files = ', '.join(f'{kind}:PATH' for kind in FROM_FILE)
    possible = f'{", ".join(PLAIN)}, {files}, python:MODULE:FACTORY, or a model registered with rlcard.models'
    return f'{name!r} names no agent: {hint}choose {possible}'


def _find(name: str, entry_point: str) -> Callable[..., Any]:
    module, _, path = entry_point.partition(':')
    try:
        found: Any = importlib.import_module(module)
        for attribute in path.split('.'):
            found = getattr(found, attribute)
    except Exception as error:  # a user's module may raise anything
        raise AgentNameError(f'{name!r}: {entry_point} cannot be imported: {describe(error)}') from error
    return cast(Callable[..., Any], found)


def _call(name: str, factory: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    try:
        return factory(*arguments, **settings)
    except Exception as error:  # a user's factory may raise anything
        raise AgentNameError(f'{name!r} cannot be made: {describe(error)}') from error
