"""The folder that keeps finished blocks, so that an interrupted match can go on."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from eval.plan import Plan
from rlcard_big2.duplicate.block import Outcome
from rlcard_big2.errors import Big2Error
from rlcard_big2.files import UNREADABLE, replace


class ResumeError(Big2Error):
    """A folder that holds the games of another plan."""


class Store:
    """Keeps finished blocks in a folder, each file whole or absent.

    Args:
        folder: made where it is missing.
        plan: whose blocks they are; ResumeError where the folder holds those of another plan.
        resume: go on from the blocks that are there; they are discarded otherwise.
    """

    def __init__(self, folder: Path, plan: Plan, resume: bool) -> None:
        self._folder = folder / 'blocks'
        self._plan = plan
        self._folder.mkdir(parents=True, exist_ok=True)
        described = self._folder / 'plan.json'
        if resume and described.exists():
            _check_same(described, plan.describe())
            return
        for path in self._folder.glob('*.npz'):
            path.unlink()
        text = json.dumps(plan.describe(), indent=1)
        replace(described, lambda temporary: temporary.write_text(text))

    def load(self, number: int) -> Outcome | None:
        """Return a finished block, or None; a damaged one counts as not finished."""
        deals, seatings = len(self._plan.block(number)), len(self._plan.seatings)
        try:
            with np.load(self._path(number), allow_pickle=False) as arrays:
                outcome = Outcome(*(arrays[name] for name in Outcome._fields))
        except UNREADABLE:
            return None
        return outcome if outcome.plies.shape == (deals, seatings) else None

    def save(self, number: int, outcome: Outcome) -> None:
        """Keep a finished block."""

        def write(temporary: Path) -> None:
            with temporary.open('wb') as file:  # numpy would add .npz to a name that lacks it
                np.savez(file, **outcome._asdict())

        replace(self._path(number), write)

    def _path(self, number: int) -> Path:
        return self._folder / f'{number:06d}.npz'


def _check_same(path: Path, wanted: dict[str, Any]) -> None:
    try:
        stored = dict(json.loads(path.read_text()))
    except (ValueError, TypeError) as error:
        raise ResumeError(f'{path} cannot be read, so there is nothing to resume: {error}') from error
    for key, value in wanted.items():
        if stored.get(key) != value:
            raise ResumeError(f'{path} is of another match: {key} is {stored.get(key)} there and {value} here')
