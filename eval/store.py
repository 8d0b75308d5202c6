"""Finished blocks: a folder of them, from which a match can be resumed or extended, and their games as records."""

import json
from collections.abc import Generator, Mapping
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eval.common.versions import source_digest
from eval.plan import Plan, fingerprint, identity
from eval.provenance import NO_WEIGHTS
from rlcard_kit.duplicate.block import BLOCK, Block, Outcome
from rlcard_kit.errors import FileError, KitError, describe
from rlcard_kit.files import check_file, parse_json, read_file, replace, replace_text
from rlcard_kit.records import MAX_NAME
from rlcard_kit.version import __version__

BLOCKS, PLAN, REPORT = 'blocks', 'plan.json', 'report.json'
LARGEST = 1 << 30  # bytes of a block


class ResumeError(KitError):
    """Raised for a folder with the games or the report of another plan."""


class Seal(NamedTuple):
    """Identity and checksum in a block's file."""

    plan: str  # `identity` of the plan
    number: int
    deals: str  # checksum of the block's own deals
    contents: str  # checksum of the arrays and of all this


def is_taken(folder: Path) -> bool:
    """Whether a folder holds a report or the games of a match."""
    return (folder / REPORT).exists() or any((folder / BLOCKS).glob('*.npz'))


class Store:
    """Keeps finished blocks in a folder, each file whole or absent. Nothing that is there is lost.

    Args:
        folder: made if it is missing.
        plan: the games.
        description: of the plan and its agents.
        resume: use the blocks in the folder, which may be of a plan with fewer deals.

    Raises:
        ResumeError: if the folder is taken and `resume` is false, or it is of another match.
    """

    def __init__(self, folder: Path, plan: Plan, description: Mapping[str, Any], resume: bool) -> None:
        self._folder = folder / BLOCKS
        self._plan = plan
        if is_taken(folder) and not resume:
            raise ResumeError(
                f'{folder} holds the games or the report of a match: --resume continues it or adds deals to it; '
                f'for another match choose another folder by --out'
            )
        path = self._folder / PLAN
        earlier = _read_sources(path, description, plan) if path.exists() else []
        if not path.exists() and (folder / REPORT).exists():
            raise ResumeError(f'{folder} holds a report without its games: there is nothing to resume; see --out')
        self._identity = identity(description)
        self.replayed: list[str] = []
        """Sentences on blocks that are played again."""
        self.sources: list[str] = list(dict.fromkeys([*earlier, source_digest()]))
        """Digests of the sources that played the games: several if they changed before a resumption."""
        text = json.dumps({**description, 'sources': self.sources}, indent=1)
        replace_text(path, text)

    def load(self, number: int) -> Outcome | None:
        """Return a finished block, or None; a damaged one is added to `replayed`.

        Raises:
            FileError: if it is not a file, since none could be written there.
        """
        path, block = self._path(number), self._plan.block(number)
        check_file(path)
        if not path.exists():
            return None
        try:
            outcome, seal = _read_block(path)
            damage = _difference(seal, self._seal(number, outcome, seal.deals))
        except Exception as error:  # a damaged file may raise anything
            damage = str(error)
        if damage is not None:
            self.replayed.append(f'The deals of {path} were played again: {damage}.')
            return None
        return outcome if seal.deals == _checksum(block) and (outcome.moves.size or not block.keep_moves) else None

    def save(self, number: int, outcome: Outcome) -> None:
        """Keep a finished block."""
        seal = self._seal(number, outcome, _checksum(self._plan.block(number)))

        def write(temporary: Path) -> None:
            with temporary.open('wb') as file:  # numpy would add .npz to a name that lacks it
                np.savez(file, seal=np.array(json.dumps(seal._asdict())), **outcome._asdict())

        replace(self._path(number), write)

    def _seal(self, number: int, outcome: Outcome, deals: str) -> Seal:
        whole = sha256(f'{self._identity} {number} {deals}'.encode())
        for name, array in outcome._asdict().items():
            whole.update(f'{name} {array.dtype} {array.shape}'.encode() + array.tobytes())
        return Seal(self._identity, number, deals, whole.hexdigest())

    def _path(self, number: int) -> Path:
        return self._folder / f'{number:06d}.npz'


def _checksum(block: Block) -> str:
    return str(fingerprint(block.deals)['sha256'])


def _read_block(path: Path) -> tuple[Outcome, Seal]:
    with np.load(BytesIO(read_file(path, LARGEST)), allow_pickle=False) as arrays:
        return Outcome(*(arrays[name] for name in Outcome._fields)), Seal(**parse_json(path, str(arrays['seal'])))


def _difference(stored: Seal, wanted: Seal) -> str | None:
    """Return the difference between two seals in words."""
    if stored.plan != wanted.plan:
        return 'the block is of another match'
    if stored.number != wanted.number:
        return f'it is block {stored.number}'
    return None if stored == wanted else 'its contents have changed'


def _read_sources(path: Path, wanted: Mapping[str, Any], plan: Plan) -> list[str]:
    """Return the sources that a description names; ResumeError if it is not of the beginning of a plan."""
    try:
        stored = dict(parse_json(path, read_file(path)))
        sources = [str(source) for source in stored['sources']]
        count = int(stored['deals']['count'])
    except (FileError, ValueError, TypeError, KeyError) as error:
        raise ResumeError(f'{path} cannot be read, so there is nothing to resume: {describe(error)}') from error
    if count > len(plan.deals):
        raise ResumeError(f'{path} is of {count} deals, not of {len(plan.deals)}: deals can be added, not taken away')
    for key, value in {**wanted, 'deals': fingerprint(plan.deals[:count])}.items():
        if stored.get(key) != value:
            raise ResumeError(f'{path} is of another match: {key} is {stored.get(key)} there and {value} here')
    return sources


def recorded(blocks: Generator[Outcome], plan: Plan, description: dict[str, Any], file: Path) -> Generator[Outcome]:
    """Append the games of blocks, as they come, to a file of records; yield the blocks without their moves.

    A record's id identifies plan, deal and seating, so a resumed match does not write a game again. RecordError if the
    file has another format.
    """
    evaluated, records = plan.evaluated, plan.evaluated.records
    known = {record.extra.get('id') for record in records.iterate(file)} if file.exists() else set()
    file.parent.mkdir(parents=True, exist_ok=True)
    match = identity(description).encode()
    agents = [_seat(name, description['weights'][name]) for name in plan.agents]

    def record(block: Outcome, first: int, deal: int, seating: int) -> Any:
        number = first + deal
        hands = plan.deals[number : number + 1]
        match_and_deal = sha256(match + hands.tobytes()).hexdigest()[:16]
        return evaluated.record(
            hands,
            block.moves[deal, seating, : block.plies[deal, seating]].tolist(),
            plan.rules,
            payoffs=tuple(block.payoffs[deal, seating].tolist()),
            seats=tuple(agents[agent] for agent in plan.seatings[seating]),
            extra={
                'id': f'{match_and_deal}-{number}-{seating}',
                evaluated.wording.place: {'number': number, 'seating': seating},
            },
        )

    with closing(blocks):
        for number, block in enumerate(blocks):
            games = [record(block, number * BLOCK, *indices) for indices in np.ndindex(*block.plies.shape)]
            records.write(file, [game for game in games if game.extra['id'] not in known])
            yield block.without_moves()


def _seat(name: str, weights: str) -> dict[str, Any]:
    seat = {'name': name[:MAX_NAME], 'kind': 'agent', 'version': __version__}
    return seat if weights == NO_WEIGHTS else {**seat, 'weights': f'sha256:{weights}'}
