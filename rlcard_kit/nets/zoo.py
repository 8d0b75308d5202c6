"""Networks that come with a package: their folders, descriptions, and a printed list."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rlcard_kit.errors import KitError
from rlcard_kit.files import checksum
from rlcard_kit.nets.checkpoint import NETWORK, Settings
from rlcard_kit.rules import Rulebook, rules_note

TOLD = 0.5  # differences from any rules of a network that is told the rules


class Description(NamedTuple):
    """Description of a shipped model."""

    name: str
    rules: Rulebook | None  # that it was trained on; None if it is told the rules
    frames: int  # decisions that it has learned from
    num_bytes: int  # of its weights file
    sha256: str  # of its weights file


@dataclass(frozen=True)
class ModelZoo:
    """The networks that come with a game's package.

    Args:
        folder: that holds a folder for each.
        names: of the folders, by agent: the kind of agent, and after a hyphen, if there are several, their difference.
        settings: of the game's networks.
    """

    folder: Path
    names: Mapping[str, Sequence[str]]
    settings: type[Settings]

    def rules(self, agent: str) -> dict[Path, Rulebook | None]:
        """Return the rules that each network of an agent was trained on by its folder; None if it is told them."""
        return {self.folder / name: self.load(name).rules for name in self.names[agent]}

    def weights_file(self, agent: str, rules: Rulebook) -> Path:
        """Return the file with the weights by which an agent plays under some rules."""
        return nearest(self.rules(agent), rules) / NETWORK

    def describe(self) -> list[Description]:
        """Return a description of each network. No network is loaded."""
        descriptions = []
        for agent, name in ((agent, name) for agent, names in self.names.items() for name in names):
            read, weights = self.load(name), self.folder / name / NETWORK
            descriptions.append(Description(agent, read.rules, read.frames, weights.stat().st_size, checksum(weights)))
        return descriptions

    def load(self, name: str) -> Settings:
        """Return the settings of the network in the folder of this name."""
        return _load(self.settings.load, self.folder / name, name.partition('-')[0])


@lru_cache
def _load(load: Callable[[Path, str], Settings], folder: Path, agent: str) -> Settings:
    """Load settings once: those of a package do not change, and every saved game names their weights."""
    return load(folder, agent)


def nearest(trained_on: Mapping[Path, Rulebook | None], rules: Rulebook) -> Path:
    """Return the folder of the network for some rules, given the rules that each was trained on by its folder.

    That is the one that was trained on them, else one that is told the rules, else that whose rules differ least.
    """

    def differences(folder: Path) -> float:
        learned = trained_on[folder]
        return TOLD if learned is None else len(rules.changes_from(learned))

    return min(trained_on, key=differences)


def list_models(package: str, models: Sequence[Description], find_rules: Callable[[str], Rulebook]) -> str:
    """Return a line for each model, and a note if it was not trained on the rules of the command line.

    Args:
        package: that `python -m` runs.
        models: to list.
        find_rules: reads the rules; KitError if they are wrong.
    """
    parser = argparse.ArgumentParser(prog=f'python -m {package}', description='List the shipped models.')
    parser.add_argument('--rules', metavar='NAME', help='note models that were not trained on these rules')
    named = parser.parse_args().rules
    try:
        rules = None if named is None else find_rules(named)
    except KitError as error:
        parser.error(str(error))
    width = max(len(model.name) for model in models)
    lines = [f'{"model":{width}} {"rules":14} {"frames":>12} {"MB":>5}  SHA-256 of the weights']
    for model in models:
        size, note = model.num_bytes / 1e6, rules_note(model.name, model.rules, rules) if rules else ''
        title = model.rules.title if model.rules else 'all'
        lines.append(f'{model.name:{width}} {title:14} {model.frames:12,} {size:5.1f}  {model.sha256}')
        lines += [f'{"":{width}} {note}'] if note else []
    return '\n'.join(lines)
