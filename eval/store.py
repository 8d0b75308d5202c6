"""The folder that keeps finished blocks, so that an interrupted match can be resumed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from eval.origin import source_digest
from eval.plan import Plan
from rlcard_big2.duplicate.block import Outcome
from rlcard_big2.errors import Big2Error
from rlcard_big2.files import UNREADABLE, replace


class ResumeError(Big2Error):
    """A folder that holds the games of another plan."""


class Store:
    """Keeps finished blocks in a folder, each file whole or absent.

    Args:
        folder: made if it is missing.
        plan: whose blocks they are.
        description: of the plan and its agents: what decides the outcome.
        resume: keep the blocks that are there; they are discarded otherwise.

    Raises:
        ResumeError: if blocks are to be kept that another plan, or other agents, played.
    """

    def __init__(self, folder: Path, plan: Plan, description: Mapping[str, Any], resume: bool) -> None:
        self._folder = folder / 'blocks'
        self._plan = plan
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / 'plan.json'
        kept = _read_description(path, description) if resume and path.exists() else None
        if kept is None:
            for block in self._folder.glob('*.npz'):
                block.unlink()
        earlier = kept['sources'] if kept else []
        self.sources: list[str] = list(dict.fromkeys([*earlier, source_digest()]))
        """Digests of the sources by which the games were played: more than one if they changed before a resumption."""
        text = json.dumps({**description, 'sources': self.sources}, indent=1)
        replace(path, lambda temporary: temporary.write_text(text))

    def load(self, number: int) -> Outcome | None:
        """Return a finished block, or None; one that is damaged, or lacks moves to be kept, counts as not finished."""
        block = self._plan.block(number)
        try:
            with np.load(self._path(number), allow_pickle=False) as arrays:
                outcome = Outcome(*(arrays[name] for name in Outcome._fields))
        except UNREADABLE:
            return None
        complete = outcome.plies.shape == (len(block.deals), len(block.seatings))
        return outcome if complete and (outcome.moves.size or not block.keep_moves) else None

    def save(self, number: int, outcome: Outcome) -> None:
        """Keep a finished block."""

        def write(temporary: Path) -> None:
            with temporary.open('wb') as file:  # numpy would add .npz to a name that lacks it
                np.savez(file, **outcome._asdict())

        replace(self._path(number), write)

    def _path(self, number: int) -> Path:
        return self._folder / f'{number:06d}.npz'


def _read_description(path: Path, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the description in a file; ResumeError if it cannot be read or is not the one that is wanted."""
    try:
        stored = dict(json.loads(path.read_text()))
    except (ValueError, TypeError) as error:
        raise ResumeError(f'{path} cannot be read, so there is nothing to resume: {error}') from error
    for key, value in wanted.items():
        if stored.get(key) != value:
            raise ResumeError(f'{path} is of another match: {key} is {stored.get(key)} there and {value} here')
    return stored
