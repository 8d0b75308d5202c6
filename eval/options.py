"""What every command of the evaluation asks for."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from eval.deals import deals_from_seed, load_deals, save_deals
from rlcard_big2.engine.bitboard import Int64Array
from rlcard_big2.errors import ConfigError
from rlcard_big2.rules import Rules


@dataclass(frozen=True)
class Options:
    """How to play: rules, deals, processes, and where to keep what was played."""

    rules: str = 'charlesworth'
    """Preset of the rules."""
    deals: int = 1000
    """How many deals; each is played in every seating."""
    seed: int = 0
    """Seed of the deals and of the agents' draws."""
    deals_file: Path | None = None
    """Play the deals of this file, written by --save-deals, instead of dealing."""
    save_deals: Path | None = None
    """Write the deals to this file (.npz)."""
    workers: int = os.cpu_count() or 1
    """Processes; the numbers do not depend on it."""
    seconds: float = 60.0
    """Limit for one call of an agent; 0 for none."""
    out: Path | None = None
    """Folder for the report and the finished games; runs/eval/... by default."""
    resume: bool = False
    """Go on from the finished games in that folder."""

    def __post_init__(self) -> None:
        for name, least in (('deals', 1), ('workers', 1), ('seed', 0), ('seconds', 0)):
            if getattr(self, name) < least:
                raise ConfigError(f'{name}={getattr(self, name)}: it must be at least {least}')
        Rules.preset(self.rules)

    def make_deals(self, count: int | None = None) -> Int64Array:
        """Return the deals to play, int64 [D, 4]: `count`, or as many as the options say."""
        wanted = count or self.deals
        deals = deals_from_seed(self.seed, wanted) if self.deals_file is None else load_deals(self.deals_file)[:wanted]
        if self.save_deals is not None:
            save_deals(self.save_deals, deals)
        return deals

    def folder(self, title: str) -> Path:
        """Return the folder for a report of that title."""
        return self.out or Path('runs/eval') / re.sub(r'[^A-Za-z0-9.=]+', '-', f'{title}-{self.rules}-{self.seed}')
