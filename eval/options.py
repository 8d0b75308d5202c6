"""What every command of the evaluation asks for."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from common.bounds import AtLeast, check_settings
from eval.store import is_taken
from rlcard_big2.duplicate.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.duplicate.limits import SECONDS
from rlcard_big2.errors import ConfigError
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.rules import PRESETS, find_rules

DEALS = 1000  # by default
LONGEST_AGENTS = 50  # in the name of a folder, cut off beyond


@dataclass(frozen=True)
class Options:
    """How to play: rules, deals, processes, and where to keep what was played."""

    rules: Annotated[
        str, arg(metavar='NAME', help=f'The rules: {", ".join(PRESETS)}, a file of JSON, or python:MODULE:NAME.')
    ] = 'charlesworth'
    """The rules."""
    deals: Annotated[int | None, AtLeast(2), arg(metavar='N')] = None
    """How many deals; each is played in every seating. 1000, or all of --deals-file."""
    seed: Annotated[int, AtLeast(0), arg(metavar='N')] = 0
    """Seed of the deals and of the agents' draws."""
    deals_file: Annotated[Path | None, arg(metavar='FILE')] = None
    """Play the deals of this file, written by --save-deals, instead of dealing."""
    save_deals: Annotated[Path | None, arg(metavar='FILE')] = None
    """Write the deals to this file, in numpy's .npz format."""
    workers: Annotated[int, AtLeast(1), arg(metavar='N')] = os.cpu_count() or 1
    """Processes; the numbers do not depend on it."""
    seconds: Annotated[float, AtLeast(0), arg(metavar='S')] = SECONDS
    """Limit of CPU time for one call of an agent, and of ten times that by the clock; 0 for none."""
    out: Annotated[Path | None, arg(metavar='FOLDER')] = None
    """Folder for the report and the finished games, which must not hold others; a new one in runs/eval by default."""
    resume: bool = False
    """Continue from the finished games in that folder. With more --deals, only those that are new are played."""

    def __post_init__(self) -> None:
        object.__setattr__(self, 'rules', find_rules(self.rules).text)  # by value: what it names may change
        check_settings(self)

    def make_deals(self, default: int = DEALS) -> Int64Array:
        """Return the deals to play, int64 [D, 4]: `default` if the options do not say how many."""
        if self.deals_file is None:
            deals = deals_from_seed(self.seed, self.deals or default)
        else:
            deals = load_deals(self.deals_file)[: self.deals]
        wanted = self.deals or 2
        if len(deals) < wanted:
            raise ConfigError(f'{self.deals_file} holds {len(deals)} deals, fewer than {wanted}')
        if self.save_deals is not None:
            save_deals(self.save_deals, deals)
        return deals

    def folder(self, description: Mapping[str, Any]) -> Path:
        """Return the folder for a report: --out, or one whose name tells what is played, by its description.

        A name that is taken gets a number, unless the match in it is to be resumed.
        """
        if self.out is not None:
            return self.out
        digest = sha256(json.dumps(description).encode()).hexdigest()[:8]
        agents = '-'.join(description['agents'])[:LONGEST_AGENTS]
        words = f'{agents}-{find_rules(self.rules).title}-{description["deals"]["count"]}-deals-seed-{self.seed}'
        name = re.sub(r'[^A-Za-z0-9.=]+', '-', words)
        taken = []
        for suffix in chain([''], (f'-{number}' for number in count(2))):
            folder = Path('runs/eval') / f'{name}-{digest}{suffix}'
            if not is_taken(folder):
                break
            taken.append(folder)
        return taken[-1] if taken and self.resume else folder
