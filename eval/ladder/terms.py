"""Terms of a ladder: the game, the rules and sealed deals.

The seed of the deals is drawn at random. Its SHA-256 is written before the first game and the seed after the last, so
that nobody can fit an agent to the deals, or choose deals that suit an agent. In between the seed is in a file of its
own.
"""

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from rlcard_kit.bounds import AtLeast, AtMost, check_settings
from rlcard_kit.duplicate.deals import MOST_DEALS
from rlcard_kit.errors import ConfigError, FileError, describe
from rlcard_kit.files import parse_json, read_file, replace_text

TERMS, SECRET = 'ladder.json', 'secret'
SEED_BITS = 128


@dataclass(frozen=True)
class Terms:
    """Terms that all matches of a ladder share."""

    game: str
    rules: tuple[str, ...]
    """As texts, see `find_rules_of`."""
    deals: Annotated[int, AtLeast(2), AtMost(MOST_DEALS)]
    sha256: str = ''
    """Of the seed, in decimal digits."""
    seed: str = ''
    """Empty while it is secret."""
    sealed_for: tuple[str, ...] = ()
    """The agents that had played when the seed was published."""

    def __post_init__(self) -> None:
        check_settings(self)

    @classmethod
    def read(cls, folder: Path) -> 'Terms':
        """Return the terms in a folder of results; FileError if they cannot be read."""
        path = folder / TERMS
        stored: Any = parse_json(path, read_file(path))
        try:
            values: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()}
            return cls(**values)
        except (AttributeError, TypeError, ConfigError) as error:
            raise FileError(f'{path} has no terms of a ladder: {describe(error)}') from error

    def difference(self, asked: 'Terms') -> str:
        """Return the first difference from the terms that were asked for, in words, or ''.

        More deals are no difference while they are sealed.
        """
        for name in ('game', 'rules', 'deals'):
            stored, wanted = getattr(self, name), getattr(asked, name)
            is_extended = name == 'deals' and not self.seed and stored < wanted
            if stored != wanted and not is_extended:
                words = (' '.join(value) if isinstance(value, tuple) else str(value) for value in (stored, wanted))
                return '{}: {}, not {}'.format(name, *words)
        return ''

    def begin(self, folder: Path) -> 'Terms':
        """Draw a seed; write it to the file of the secret, and these terms with its SHA-256 to another."""
        seed = str(secrets.randbits(SEED_BITS))
        descriptor = os.open(folder / SECRET, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with open(descriptor, 'w', encoding='utf-8') as file:
            file.write(seed)
            file.flush()
            os.fsync(file.fileno())
        return replace(self, sha256=_hash(seed))._written(folder)

    def extend(self, folder: Path, deals: int) -> 'Terms':
        """Write these terms with more deals, of the same seed."""
        return replace(self, deals=deals)._written(folder)

    def open(self, folder: Path) -> int:
        """Return the seed; FileError if the file of the secret is missing or has another one."""
        path = folder / (TERMS if self.seed else SECRET)
        seed = self.seed or read_file(path).decode(errors='replace')
        if _hash(seed) != self.sha256 or not seed.isdecimal():
            raise FileError(f'{path} has another seed than that of the ladder, whose SHA-256 is {self.sha256}')
        return int(seed)

    def publish(self, folder: Path, seed: int, agents: Sequence[str]) -> 'Terms':
        """Write the seed, and the agents for which it was secret; remove the file of the secret."""
        published = replace(self, seed=str(seed), sealed_for=tuple(agents))._written(folder)
        (folder / SECRET).unlink(missing_ok=True)
        return published

    def _written(self, folder: Path) -> 'Terms':
        replace_text(folder / TERMS, json.dumps(asdict(self), indent=1))
        return self


def _hash(seed: str) -> str:
    return sha256(seed.encode()).hexdigest()
