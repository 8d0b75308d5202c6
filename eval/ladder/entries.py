"""Files of the agents on a ladder."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from rlcard_kit.bounds import check_settings
from rlcard_kit.errors import ConfigError, FileError
from rlcard_kit.files import checksum, parse_json, read_file

NAME = re.compile(r'[\w .,+()-]{1,30}')  # in tables and figures
SHA256 = re.compile('[0-9a-f]{64}')


@dataclass(frozen=True)
class Entry:
    """An agent on a ladder.

    A field that is missing, unknown or of a wrong value raises ConfigError.
    """

    name: str
    """To print: at most 30 letters, digits, spaces and ._,+()-."""
    agent: str
    """Its name in the grammar of agents; paths are relative to the current folder."""
    author: str
    note: str = ''
    files: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the files that the agent reads, by path; checked before the first game, and after every 64 deals."""

    def __post_init__(self) -> None:
        check_settings(self)
        for key in ('name', 'agent', 'author', 'note'):
            text = getattr(self, key)
            if not text.isprintable() or not (text.strip() or key == 'note'):
                raise ConfigError(f'{key}={text!r:.80}: expected one line of text')
        if not NAME.fullmatch(self.name):
            raise ConfigError(f'name={self.name!r:.80}: expected at most 30 letters, digits, spaces and ._,+()-')
        sums = self.files.values() if isinstance(self.files, Mapping) else [None]
        if not all(isinstance(value, str) and SHA256.fullmatch(value) for value in sums):
            raise ConfigError(f'files={self.files!r:.200}: expected the SHA-256 of each file by its path')

    @classmethod
    def read(cls, path: Path) -> 'Entry':
        """Read a file of JSON; ConfigError or FileError names it."""
        data = parse_json(path, read_file(path))
        known = [known_field.name for known_field in fields(cls)]
        try:
            if not isinstance(data, dict):
                raise ConfigError(f'expected an object with {", ".join(known)}, got {data!r:.80}')
            for key in data:
                if key not in known:
                    raise ConfigError(f'the key {key!r:.80} is unknown: choose from {", ".join(known)}')
            for key in ('name', 'agent', 'author'):
                if key not in data:
                    raise ConfigError(f'the key {key!r} is missing')
            return cls(**data)
        except ConfigError as error:
            raise ConfigError(f'{path}: {error}') from error

    def check_files(self) -> None:
        """Raise FileError if a file is missing, or is another one."""
        for name, wanted in self.files.items():
            try:
                actual = checksum(Path(name))
            except FileError as error:
                raise FileError(f'{self.name}: {error}') from error
            if actual != wanted:
                raise FileError(f'{self.name}: {name} has the SHA-256 {actual}, not {wanted}')


def read_entries(folder: Path) -> list[Entry]:
    """Read the files of a folder whose names end in .json; sort the agents by their names in the grammar.

    Raises:
        ConfigError: if there are fewer than two, one is wrong, or two have the same name or are the same agent.
        FileError: if one cannot be read.
    """
    entries = {path: Entry.read(path) for path in sorted(folder.glob('*.json'))}
    if len(entries) < 2:
        raise ConfigError(f'{folder} holds {len(entries)} files of agents, such as rule.json: at least two are needed')
    for key in ('name', 'agent'):
        seen: dict[str, Path] = {}
        for path, entry in entries.items():
            value = getattr(entry, key)
            if value in seen:
                raise ConfigError(f'{seen[value]} and {path} have the same {key}, {value!r}')
            seen[value] = path
    return sorted(entries.values(), key=lambda entry: entry.agent)
