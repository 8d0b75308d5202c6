"""Networks that come with the package, whatever the game: what there is to know of them, and a list of it."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from rlcard_big2.errors import Big2Error
from rlcard_big2.files import checksum
from rlcard_big2.neural.saved import NETWORK, Settings
from rlcard_big2.rulebook import Rulebook, rules_note


class Description(NamedTuple):
    """What there is to know about a shipped model."""

    name: str
    rules: Rulebook  # that it was trained on
    frames: int  # decisions that it has learned from
    num_bytes: int  # of its weights file
    sha256: str  # of its weights file

    def note(self, rules: Rulebook) -> str:
        """Return what has to be said if it plays by some rules: that it was not trained on them, or nothing."""
        return rules_note(self.name, self.rules, rules)


def describe_shipped(shipped: Mapping[str, str], folder: Path, settings: type[Settings]) -> list[Description]:
    """Return what there is to know about each of a game's shipped models. No network is loaded.

    Args:
        shipped: the kind of each agent, which is also its folder's name, by its name.
        folder: that holds those folders.
        settings: of the game's networks.
    """
    return [_describe(name, kind, folder / kind, settings) for name, kind in shipped.items()]


def _describe(name: str, kind: str, folder: Path, settings: type[Settings]) -> Description:
    read, weights = settings.load(folder, kind), folder / NETWORK
    return Description(name, read.rules, read.frames, weights.stat().st_size, checksum(weights))


def list_models(package: str, models: Iterable[Description], find_rules: Callable[[str], Rulebook]) -> str:
    """Return a line for each model, and a note if it was not trained on the rules that the command line asks about.

    Args:
        package: that `python -m` runs.
        models: to list.
        find_rules: reads the rules; Big2Error if they are wrong.
    """
    parser = argparse.ArgumentParser(prog=f'python -m {package}', description='List the shipped models.')
    parser.add_argument('--rules', metavar='NAME', help='say which models were not trained on these rules')
    named = parser.parse_args().rules
    try:
        rules = None if named is None else find_rules(named)
    except Big2Error as error:
        parser.error(str(error))
    lines = [f'{"model":10} {"rules":14} {"frames":>12} {"MB":>5}  SHA-256 of the weights']
    for model in models:
        size, note = model.num_bytes / 1e6, model.note(rules) if rules else ''
        lines.append(f'{model.name:10} {model.rules.title:14} {model.frames:12,} {size:5.1f}  {model.sha256}')
        lines += [f'{"":10} {note}'] if note else []
    return '\n'.join(lines)
