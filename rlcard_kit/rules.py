"""Base of a game's rules: presets, one line of text, JSON, and rules of a user's own module.

A game's rules are a frozen dataclass, one documented field for each thing that differs from table to table.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any, ClassVar, TypeVar, get_origin, get_type_hints

from rlcard_kit.bounds import check_settings
from rlcard_kit.errors import ConfigError, FileError, RulesError, title_of
from rlcard_kit.files import parse_json, read_file, user_path
from rlcard_kit.plugins import OWN, NotFoundError, find_own

Rules = TypeVar('Rules', bound='Rulebook')


class Rulebook:
    """The base of a game's frozen dataclass `Rules`."""

    WORDS: ClassVar[Mapping[str, Mapping[str, str]]]
    """Meanings of the words of each field, for errors."""

    @classmethod
    def presets(cls: type[Rules]) -> Mapping[str, Rules]:
        """Return the presets by name."""
        raise NotImplementedError

    @classmethod
    def preset(cls: type[Rules], name: str) -> Rules:
        """Return the preset of that name; RulesError lists the names."""
        if name not in cls.presets():
            raise RulesError(f'no preset {name!r}: choose one of {", ".join(cls.presets())}')
        return cls.presets()[name]

    @property
    def players(self) -> int:
        """The number of players."""
        return 4

    @property
    def name(self) -> str | None:
        """The name of the preset that these rules equal, or None."""
        return next((name for name, preset in self.presets().items() if preset == self), None)

    @property
    def title(self) -> str:
        """These rules in a few words: a preset's name, with what differs from it."""
        changes = {name: self.changes_from(preset) for name, preset in self.presets().items()}
        nearest = min(changes, key=lambda name: len(changes[name]))
        return nearest + (f' with {", ".join(changes[nearest])}' if changes[nearest] else '')

    @property
    def text(self) -> str:
        """These rules in one line, which `find_rules_of` reads: a preset's name or JSON."""
        return self.name or json.dumps(self.to_json(), separators=(',', ':'))

    def to_json(self) -> str | dict[str, Any]:
        """Return these rules as JSON can hold them: a preset's name, or all fields."""
        return self.name or self.fields()

    def fields(self) -> dict[str, Any]:
        """Return all fields by name, as JSON can hold them."""
        named = asdict(self)  # type: ignore[call-overload]  # a dataclass, but for this base
        return {name: list(value) if isinstance(value, tuple) else value for name, value in named.items()}

    @classmethod
    def from_json(cls: type[Rules], value: object) -> Rules:
        """Return the rules that `to_json` or `fields` described.

        Raises:
            RulesError: if a field is missing, unknown or of a wrong value.
        """
        if isinstance(value, str):
            return cls.preset(value)
        if not isinstance(value, Mapping):
            raise RulesError(f"expected a preset's name or an object with all fields, got {value!r:.80}")
        names = [field.name for field in fields(cls)]  # type: ignore[arg-type]
        wrong = [f'{name} is missing' for name in names if name not in value]
        wrong += [f'{name} is unknown' for name in value if name not in names]
        if wrong:
            raise RulesError(f'all fields and no others are needed: {", ".join(wrong):.400}')
        values = dict(value)
        for name, kind in types_of(cls).items():
            if get_origin(kind) is tuple and isinstance(value[name], list):  # which is how JSON has a tuple
                values[name] = tuple(value[name])
        return cls(**values)

    def after(self: Rules, payoffs: Sequence[int] | None) -> Rules:
        """Return the rules of a session's next game, given the payoffs of the last one; None begins a session."""
        return self

    def winner_of(self, payoffs: Sequence[int]) -> int:
        """Return the seat that has won, the first of a team, given the payoffs of a game."""
        return payoffs.index(max(payoffs))

    def changes_from(self, other: 'Rulebook') -> list[str]:
        """Return the fields whose values differ from those of other rules, with their values."""
        return [f'{name}={value!r}' for name, value in vars(self).items() if value != getattr(other, name)]

    def for_players(self: Rules, players: Any) -> Rules:
        """Return these rules for a number of players; RulesError if there are none."""
        if players != self.players:
            raise RulesError(f'{players!r:.80} players: this game is for {self.players}')
        return self

    def __deepcopy__(self: Rules, memo: dict[int, Any]) -> Rules:
        """Return itself, since it is frozen."""
        return self

    def _check_values(self) -> None:
        try:
            check_settings(self, self.WORDS)
        except ConfigError as error:
            raise RulesError(str(error)) from error


def types_of(kind: Any) -> dict[str, Any]:
    """Return the types of the fields."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def find_rules_of(kind: type[Rules], text: str | Rules | Mapping[str, Any], name: str = 'rules') -> Rules:
    """Return the rules of a game by text or by their fields.

    Args:
        kind: the game's `Rules`.
        text: a preset's name; a file of JSON, such as rules.json; python:MODULE:NAME, a `Rules` of a module; or JSON.
            A mapping of all fields, as JSON gives a `Rules` back, is read too. A `Rules` is returned as it is.
        name: of the setting, for the error.

    Raises:
        RulesError: if it names no rules; it lists the possibilities.
        ConfigError: if it is neither a text nor a mapping nor a `Rules`.
    """
    if isinstance(text, kind):
        return text
    if not isinstance(text, (str, Mapping)):
        raise ConfigError(f"{name}={text!r:.80}: give a preset's name or a {title_of(kind)}")
    presets = kind.presets()
    if isinstance(text, str) and text in presets:
        return presets[text]
    try:
        if isinstance(text, Mapping):
            return kind.from_json(text)
        if text.startswith(OWN):
            named = find_own(text)
            if isinstance(named, kind):
                return named
            raise RulesError(f'it is of type {type(named).__name__}: expected a {title_of(kind)}')
        if text.startswith('{'):
            return kind.from_json(parse_json('it', text))
        if text.endswith('.json') or '/' in text:
            return kind.from_json(parse_json('it', read_file(user_path(text))))
    except (FileError, NotFoundError, RulesError) as error:
        raise RulesError(f'rules {text!r:.200}: {error}') from error
    raise RulesError(
        f'no preset {text!r:.80}: choose one of {", ".join(presets)}, a file such as rules.json, or {OWN}MODULE:NAME'
    )


def rules_note(name: str, trained_on: Rulebook | None, rules: Rulebook) -> str:
    """Return a warning if the agent was trained on other rules, else ''."""
    if trained_on is None or trained_on == rules:
        return ''
    return f'{name} was not trained on these rules: it knows {trained_on.title}'
