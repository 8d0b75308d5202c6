"""Registry of agents by name, for any card game: the grammar of names."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from rlcard_kit.agents import Agent, EpsilonAgent, RLCardAgent, is_of_protocol, other_game
from rlcard_kit.errors import FileError, KitError, describe
from rlcard_kit.files import user_path
from rlcard_kit.plugins import OWN, NotFoundError, find, find_own
from rlcard_kit.rules import find_rules_of
from rlcard_kit.signals import is_ctrl_c

if TYPE_CHECKING:
    from rlcard_kit.nets.zoo import ModelZoo

AGENT, COMMAND, FILES = 'AGENT', 'COMMAND', ('FOLDER', 'FILE')  # arguments after a name
MEANING = 31  # column of the help text
LIGHT = 'numpy'  # the option to play without torch
DEEPEST = 4  # agents that take agents
PROGRAM = (
    'a program in any language that reads and writes lines of JSON (docs/own-program.md), with limits of time for a '
    'move and a game, and of memory: program:./my-bot --fast,seconds=2'
)
LIMITS = ('seconds', 'game_seconds', 'megabytes')  # options of a program
OTHERS = {
    '...,epsilon=SHARE': 'any of these, with this share of random moves: {example},epsilon=0.05',
    'NAME': 'a model registered with rlcard.models',
    'python:MODULE:FACTORY': "the agent that FACTORY() of your module returns; it has RLCard's eval_step",
}


class AgentSpec(NamedTuple):
    """One entry of the registry."""

    entry_point: str  # of the class or function that makes the agent; imported on use, since some need torch
    help: str
    takes: str = ''  # the argument after the name and a colon: FOLDER, FILE, AGENT or COMMAND
    words: tuple[str, ...] = ()  # options, each true if it is given
    numbers: tuple[str, ...] = ()  # options with a number
    agents: tuple[str, ...] = ()  # options with the name of an agent that has no options itself

    def usage(self, name: str) -> str:
        """Return the syntax of the name."""
        return name + f':{self.takes}' * bool(self.takes) + ''.join(f'[,{option}]' for option in self.options)

    @property
    def options(self) -> tuple[str, ...]:
        """The syntax of its options."""
        return (
            *self.words,
            *(f'{option}=N' for option in self.numbers),
            *(f'{option}={AGENT}' for option in self.agents),
        )


def kind_of(name: str) -> str:
    """Return the first word of a name."""
    return name.split(',')[0].partition(':')[0]


class AgentNameError(KitError):
    """A name that is not of an agent."""


def _described(usage: str, text: str) -> str:
    """Return a name and its help, on the same line if both fit."""
    indent = ' ' * MEANING
    below = fill(text, 80, initial_indent=indent, subsequent_indent=indent)
    if len(usage) + 4 <= MEANING:
        return f'  {usage:<{MEANING - 2}}{below.lstrip()}'
    head, *options = usage.replace('[,', '\n[,').split('\n')
    lines = [f'  {head}']
    for option in options:
        if len(lines[-1] + option) > 80:
            lines.append(' ' * 6)
        lines[-1] += option
    return '\n'.join((*lines, below))


@dataclass(frozen=True)
class AgentRegistry:
    """The agents of a game by name.

    Args:
        kinds: the entries by name.
        mixed: wraps an agent, given a share of random moves. Its `default_rules` are those of the registry.
        example: a name for the help on random moves.
        models: the module of the shipped models, described by its SHIPPED; empty if there are none.
    """

    kinds: Mapping[str, AgentSpec]
    mixed: type[EpsilonAgent]
    example: str
    models: str = ''

    @property
    def grammar(self) -> str:
        """A line or more for each name, at most 80 characters wide."""
        lines = {kind.usage(name): kind.help for name, kind in self.kinds.items()}
        lines |= {usage: text.format(example=self.example) for usage, text in OTHERS.items()}
        return ''.join(f'\n{_described(usage, text)}' for usage, text in lines.items()) + '\n'

    def find_rules(self, rules: Any = None) -> Any:
        """Return rules of the game, given as its `Rules` or as a text; the game's default if None."""
        default = self.mixed.default_rules
        return default if rules is None else find_rules_of(type(default), rules)

    def make(self, name: str, rules: Any = None, light: bool = False) -> RLCardAgent:
        """Make an agent by name, for a set of rules.

        Args:
            name: see `grammar`, which every command that takes agents prints.
            rules: to play by, a `Rules` of the game or a text that names one; None for the game's default.
            light: play without torch if the agent can.

        Raises:
            AgentNameError: if the name does not mean an agent; it lists the names.
            RulesError: if there are no such rules.
        """
        if not isinstance(name, str):
            raise AgentNameError(f'{name!r:.80} is not the name of an agent: expected text, such as {self.example!r}')
        rules = self.find_rules(rules)
        self._check_depth(name)
        agent = self._make_light(name) if light else self._make(name)
        if isinstance(agent, Agent):
            if type(agent.default_rules) is not type(rules):
                raise AgentNameError(f'{name!r}: {other_game(agent, rules)}')
            agent.prepare(rules)
        return agent

    def _check_depth(self, name: str) -> None:
        inner: str | None = name
        for _ in range(DEEPEST):
            inner = None if inner is None else self.inner(inner)
        if inner is not None:
            raise AgentNameError(f'{name!r:.80} names agents inside each other, more than {DEEPEST} deep')

    def file_of(self, name: str) -> Path | None:
        """Return the file or folder that a name takes, or None if it takes none."""
        kind, _, path = name.split(',')[0].partition(':')
        return _path(name, path) if kind in self.kinds and self.kinds[kind].takes in FILES else None

    def inner(self, name: str) -> str | None:
        """Return the name of the agent that a name takes, or None if it takes none."""
        kind, _, inner = name.split(',')[0].partition(':')
        return inner if kind in self.kinds and self.kinds[kind].takes == AGENT else None

    def weights_file(self, name: str, rules: Any = None) -> Path | None:
        """Return the weights file of an agent under some rules, or None if the name does not determine it."""
        inner = self.inner(name)
        if inner is not None:
            return self.weights_file(inner, rules)
        kind = kind_of(name)
        if kind in self.kinds and self.kinds[kind].entry_point.startswith(f'{self.models}:'):
            zoo: ModelZoo = importlib.import_module(self.models).SHIPPED
            return zoo.weights_file(kind, self.find_rules(rules))
        file = self.file_of(name)
        return file / 'network.safetensors' if file is not None and file.is_dir() else file

    def _make_light(self, name: str) -> Any:
        kind = self.kinds.get(kind_of(name))
        if kind is not None and LIGHT in kind.words and LIGHT not in name.split(','):
            try:
                return self._make(f'{name},{LIGHT}')
            except AgentNameError:  # torch may be installed, and else the error is the same
                pass
        return self._make(name)

    def _make(self, name: str) -> Any:
        if name.startswith(OWN):
            return _make_own(name)
        kind, colon, path = name.split(',')[0].partition(':')
        if kind not in self.kinds:
            return self._load_model(name)
        made_by = self.kinds[kind]
        if bool(path) != bool(made_by.takes) or (colon and not path):
            raise AgentNameError(f'{name!r}: write {made_by.usage(kind)}')
        argument, options = _split(name, made_by)
        settings, epsilon = _parse_options(name, made_by, options)
        settings |= {key: self._make_light(settings[key]) for key in made_by.agents if key in settings}
        taken: list[Any] = [argument] if argument else []
        if made_by.takes == AGENT:
            taken = [self._make_light(argument)]
        elif made_by.takes in FILES:
            taken = [_path(name, argument)]
        agent = _call(name, find(made_by.entry_point), *taken, **settings)
        if epsilon is None:
            return agent
        if not isinstance(agent, Agent):
            raise AgentNameError(f'{name!r}: {made_by.usage(kind)} takes no epsilon')
        return self.mixed(agent, epsilon)

    def _load_model(self, name: str) -> Any:
        """Load the first agent of a model registered with RLCard."""
        try:
            models = importlib.import_module('rlcard.models.registration').model_registry
        except Exception as error:  # it imports RLCard's agents, which need distutils and pip
            raise AgentNameError(f'{self._unknown(name, [])}; rlcard.models cannot be imported: {error}') from error
        if name not in models.model_specs:
            raise AgentNameError(self._unknown(name, list(models.model_specs)))
        return _call(name, lambda: models.load(name).agents[0])

    def _unknown(self, name: str, models: list[str]) -> str:
        kind = kind_of(name)
        near = get_close_matches(kind, [*self.kinds, 'python', *models], 1)
        hint = f'did you mean {near[0]!r}? ' if near else ''
        possible = ', '.join(kind.usage(name) for name, kind in self.kinds.items())
        return (
            f'{name!r} is not the name of an agent: {hint}choose {possible}, python:MODULE:FACTORY, '
            f'or a model registered with rlcard.models'
        )


def _split(name: str, kind: AgentSpec) -> tuple[str, list[str]]:
    """Return the argument of a name and its options; a command may have commas, so only its last parts are options."""
    parts, first = name.split(','), 1
    if kind.takes == COMMAND:
        known = (*kind.numbers, 'epsilon')
        first = max(i for i, part in enumerate(parts, 1) if i == 1 or part.partition('=')[0] not in known)
    return ','.join(parts[:first]).partition(':')[2], parts[first:]


def _path(name: str, text: str) -> Path:
    try:
        return user_path(text)
    except FileError as error:
        raise AgentNameError(f'{name!r}: {error}') from error


def _parse_options(name: str, kind: AgentSpec, options: list[str]) -> tuple[dict[str, Any], float | None]:
    """Return the options of a name as settings, its words as such that are true and agents by name, and its epsilon."""
    settings: dict[str, Any] = {}
    epsilon = None
    for option in options:
        key, _, text = option.partition('=')
        if key in kind.numbers:
            settings[key] = _parse_number(name, key, text)
        elif key in kind.agents:
            settings[key] = text
        elif option.startswith('epsilon='):
            epsilon = _parse_number(name, key, text)
            if not 0 <= epsilon <= 1:
                raise AgentNameError(f'{name!r}: epsilon={text} is not a share from 0 to 1')
        elif option in kind.words:
            settings[option] = True
        else:
            known = ', '.join([*kind.options, 'epsilon=SHARE'])
            raise AgentNameError(f'{name!r} has no option {option!r}: it takes {known}')
    return settings, epsilon


def _parse_number(name: str, key: str, text: str) -> float:
    try:
        return int(text) if text.lstrip('-').isdecimal() else float(text)
    except ValueError as error:
        raise AgentNameError(f'{name!r}: {key}={text} is not a number') from error


def _make_own(name: str) -> Any:
    try:
        factory = find_own(name)
    except NotFoundError as error:
        raise AgentNameError(f'{name!r}: {error}') from error
    agent = _call(name, factory)
    if not is_of_protocol(agent):
        raise AgentNameError(f"{name!r} gave {type(agent).__name__}: an agent has RLCard's eval_step and use_raw")
    return agent


def _call(name: str, factory: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    try:
        return factory(*arguments, **settings)
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # a user's factory may raise anything
        if is_ctrl_c(error):
            raise
        raise AgentNameError(f'{name!r} cannot be made: {describe(error)}') from error
