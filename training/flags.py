"""A command's flags in groups: tyro makes a group of a dataclass, so the settings are dealt out to one for each."""

import ast
import inspect
from collections.abc import Collection, Iterable
from dataclasses import field, fields, is_dataclass, make_dataclass, replace
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

from tyro.conf import arg

from training.config import RunConfig

C = TypeVar('C', bound=RunConfig)

Field = tuple[str, Any, Any]  # name, type and default, as `make_dataclass` takes them
PRESET = 'preset'


class Flags(Generic[C]):
    """The flags of a command: its own, and the settings in their groups, the first of which begins with --preset.

    Args:
        own: fields of the command.
        config: settings that the flags change.
        hidden: names of settings that mean nothing to the command.
    """

    def __init__(self, own: Iterable[Field], config: C, hidden: Collection[str]) -> None:
        self._config = config
        self._groups = [group for group, names in config.groups().items() if set(names) - set(hidden)]
        shown = {group: fields_of(config, config.groups()[group], hidden) for group in self._groups}
        shown['run'].insert(0, _preset_field(config))
        made = [(group, make_dataclass(group, shown[group], frozen=True)) for group in self._groups]
        groups = [(group, kind, field(default=kind())) for group, kind in made]
        self.kind: Any = make_dataclass('Flags', [*own, *groups], frozen=True)

    def settings(self, answer: Any) -> C:
        """Return the settings that tyro has made of a command line."""
        groups = [getattr(answer, group) for group in self._groups]
        values = {part.name: getattr(group, part.name) for group in groups for part in fields(group)}
        return replace(self._config, **{name: value for name, value in values.items() if name != PRESET})


def fields_of(instance: Any, names: Iterable[str], hidden: Collection[str] = ()) -> list[Field]:
    """Return fields of a dataclass, each with its text as help and its value as default."""
    kind: type = type(instance)
    kinds, texts = get_type_hints(kind, include_extras=True), _texts(kind)
    return [
        (name, Annotated[kinds[name], arg(help=texts[name])], field(default=getattr(instance, name)))
        for name in names
        if name not in hidden
    ]


def _preset_field(config: RunConfig) -> Field:
    """Return the flag --preset, whose help says what each preset changes."""
    presets = config.presets(config.game)
    changes = {name: ', '.join(f'{key} {value}' for key, value in preset.items()) for name, preset in presets.items()}
    text = "Named settings, which the other flags change; with --resume, they change the run's own."
    told = ' '.join(f'{name.upper()}: {change}.' for name, change in changes.items() if change)
    kind = Annotated[str, arg(help=f'{text} {told}', metavar='{' + ','.join(presets) + '}')]
    return PRESET, kind, field(default='default')


@cache
def _texts(kind: type) -> dict[str, str]:
    """Return the texts that stand below the fields of a dataclass and of its bases, by name."""
    found = {}
    for part in filter(is_dataclass, reversed(kind.__mro__)):
        (tree,) = ast.parse(dedent(inspect.getsource(part))).body
        assert isinstance(tree, ast.ClassDef)
        for statement, following in pairwise(tree.body):
            match statement, following:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[name] = ' '.join(text.split())
    return found
