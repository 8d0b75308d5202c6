"""Agents by name: the grammar of names, whatever the game."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

from rlcard_big2.errors import Big2Error, describe
from rlcard_big2.lockstep.stepping import SteppingAgent
from rlcard_big2.lookup import OWN, NotFoundError, find, find_own

OTHERS = {
    '...,epsilon=SHARE': 'any of these, with that share of random moves: {example},epsilon=0.05',
    'NAME': 'a model registered with rlcard.models',
    'python:MODULE:FACTORY': "what FACTORY() of your module returns, an agent with RLCard's eval_step",
}


class Kind(NamedTuple):
    """What a name stands for."""

    entry_point: str  # of the class or function that makes the agent; imported when asked for, since some need torch
    help: str
    takes: str = ''  # what follows the name and a colon: FOLDER or FILE
    words: tuple[str, ...] = ()  # options, each true if it is given

    def usage(self, name: str) -> str:
        """Return how the name is written."""
        return name + f':{self.takes}' * bool(self.takes) + ''.join(f'[,{word}]' for word in self.words)


class AgentNameError(Big2Error):
    """A name that does not mean an agent."""


@dataclass(frozen=True)
class AgentNames:
    """The names of a game's agents.

    Args:
        kinds: what there is, by name.
        mixed: wraps an agent, given a share of random moves.
        example: a name, to show how a share of random moves is written.
    """

    kinds: Mapping[str, Kind]
    mixed: Callable[[Any, float], SteppingAgent]
    example: str

    @property
    def grammar(self) -> str:
        """A line or more for each name, at most 80 characters wide."""
        lines = {kind.usage(name): kind.help for name, kind in self.kinds.items()}
        lines |= {usage: text.format(example=self.example) for usage, text in OTHERS.items()}
        text = ''.join(
            '\n' + fill(text, 80, initial_indent=f'  {usage:<29}', subsequent_indent=' ' * 31)
            for usage, text in lines.items()
        )
        return text + '\n'

    def make(self, name: str, rules: Any) -> Any:
        """Make the agent that a name means, for the game's `Rules`.

        Raises:
            AgentNameError: if the name does not mean an agent; it says what is possible.
        """
        agent = self._make(name)
        if isinstance(agent, SteppingAgent):
            agent.prepare(rules)
        return agent

    def file_of(self, name: str) -> Path | None:
        """Return the file or folder that a name takes, or None if it takes none."""
        kind, _, path = name.split(',')[0].partition(':')
        return Path(path).expanduser() if kind in self.kinds and self.kinds[kind].takes else None

    def _make(self, name: str) -> Any:
        if name.startswith(OWN):
            return _make_own(name)
        head, *options = name.split(',')
        kind, colon, path = head.partition(':')
        if kind not in self.kinds:
            return self._load_model(name)
        made_by = self.kinds[kind]
        if bool(path) != bool(made_by.takes) or (colon and not path):
            raise AgentNameError(f'{name!r}: write {made_by.usage(kind)}')
        settings, epsilon = _parse_options(name, made_by, options)
        paths = [Path(path).expanduser()] if path else []
        agent = _call(name, find(made_by.entry_point), *paths, **settings)
        return agent if epsilon is None else self.mixed(agent, epsilon)

    def _load_model(self, name: str) -> Any:
        """Load the first agent of a model registered with RLCard."""
        try:
            models = importlib.import_module('rlcard.models.registration').model_registry
        except Exception as error:  # it imports RLCard's agents, which need distutils and a pip to ask
            raise AgentNameError(f'{self._unknown(name, [])}; rlcard.models cannot be imported: {error}') from error
        if name not in models.model_specs:
            raise AgentNameError(self._unknown(name, list(models.model_specs)))
        return _call(name, lambda: models.load(name).agents[0])

    def _unknown(self, name: str, models: list[str]) -> str:
        kind = name.split(',')[0].partition(':')[0]
        near = get_close_matches(kind, [*self.kinds, 'python', *models], 1)
        hint = f'did you mean {near[0]!r}? ' if near else ''
        possible = ', '.join(kind.usage(name) for name, kind in self.kinds.items())
        return (
            f'{name!r} is not the name of an agent: {hint}choose {possible}, python:MODULE:FACTORY, '
            f'or a model registered with rlcard.models'
        )


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
    if not isinstance(agent, SteppingAgent) and not (hasattr(agent, 'eval_step') and hasattr(agent, 'use_raw')):
        raise AgentNameError(f"{name!r} gave {type(agent).__name__}: an agent has RLCard's eval_step and use_raw")
    return agent


def _call(name: str, factory: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    try:
        return factory(*arguments, **settings)
    except (Exception, SystemExit) as error:  # a user's factory may raise anything
        raise AgentNameError(f'{name!r} cannot be made: {describe(error)}') from error
