"""Plans of games over duplicate deals, played in blocks that any number of processes may share out."""

import json
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from eval.agents import make_agent, weights_file
from eval.players import Player
from eval.table import Outcome, make_player, play_block
from rlcard_big2.engine.bitboard import Int64Array
from rlcard_big2.errors import Big2Error
from rlcard_big2.rules import Rules
from rlcard_big2.version import __version__

CHECK = 8  # blocks between two looks at the precision
BLOCK = 64  # deals in lock step; part of a plan's meaning, since a network's rounding follows its batches


class ResumeError(Big2Error):
    """A folder that holds the games of another plan."""


@dataclass(frozen=True)
class Plan:
    """Games to play: every deal once in every seating.

    Attributes:
        agents: names of the agents, see `eval.agents`.
        seatings: int64 [G, 4], the place in `agents` of the agent in each seat.
        rules: to play by.
        deals: masks, int64 [D, 4].
        seed: of the agents' draws.
        seconds: limit for one call of an agent; 0 for none.
    """

    agents: tuple[str, ...]
    seatings: Int64Array
    rules: Rules
    deals: Int64Array
    seed: int
    seconds: float = 60.0

    @property
    def num_blocks(self) -> int:
        """Number of blocks of up to 64 deals."""
        return -(-len(self.deals) // BLOCK)

    def describe(self) -> dict[str, Any]:
        """Return what decides the outcome of every game, for reports and for `Store`; the weights by checksum."""
        return {
            'version': __version__,
            'agents': list(self.agents),
            'weights': {name: checksum(path) for name in self.agents if (path := weights_file(name))},
            'seatings': self.seatings.tolist(),
            'rules': {
                key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self.rules).items()
            },
            'deals': sha256(self.deals[: BLOCK * 16].tobytes()).hexdigest(),
            'seed': self.seed,
        }


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return sha256(path.read_bytes()).hexdigest()


class Store:
    """Keeps finished blocks in a folder.

    Args:
        folder: made where it is missing; None keeps nothing.
        plan: whose blocks they are; ResumeError where the folder holds those of another plan.
        resume: go on from the blocks that are there; they are discarded otherwise.
    """

    def __init__(self, folder: Path | None, plan: Plan, resume: bool) -> None:
        self._folder = folder and folder / 'blocks'
        if self._folder is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        described = self._folder / 'plan.json'
        if resume and described.exists():
            _check_same(described, json.loads(described.read_text()), plan.describe())
            return
        for path in self._folder.glob('*.npz'):
            path.unlink()
        described.write_text(json.dumps(plan.describe(), indent=1))

    def load(self, number: int) -> Outcome | None:
        """Return a finished block, or None; one that was cut off while it was written counts as not finished."""
        path = self._path(number)
        if path is None or not path.exists():
            return None
        try:
            with np.load(path, allow_pickle=False) as arrays:
                return Outcome(*(arrays[name] for name in Outcome._fields))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None

    def save(self, number: int, outcome: Outcome) -> None:
        """Keep a finished block."""
        path = self._path(number)
        if path is not None:
            np.savez(path, **outcome._asdict())

    def _path(self, number: int) -> Path | None:
        return self._folder and self._folder / f'{number:06d}.npz'


def _check_same(path: Path, stored: dict[str, Any], wanted: dict[str, Any]) -> None:
    for key, value in wanted.items():
        if stored.get(key) != value:
            raise ResumeError(f'{path} is of another match: {key} is {stored.get(key)} there and {value} here')


_worker: tuple[Plan, list[Player]]  # of a worker process


def _start_worker(plan: Plan) -> None:
    global _worker
    _worker = plan, seat(plan, [make_agent(name) for name in plan.agents])
    limit_threads()


def _play_in_worker(number: int) -> Outcome:
    plan, players = _worker
    return play_one(plan, players, number)


def limit_threads() -> None:
    """Have numpy and torch use one thread: processes are the parallelism, and sums keep their order."""
    threadpool_limits(1)
    if 'torch' in sys.modules:
        sys.modules['torch'].set_num_threads(1)


def seat(plan: Plan, agents: Sequence[object]) -> list[Player]:
    """Make players of a plan's agents."""
    return [make_player(agent, plan.seconds) for agent in agents]


def play_one(plan: Plan, players: Sequence[Player], number: int) -> Outcome:
    """Play one block."""
    deals = plan.deals[number * BLOCK : (number + 1) * BLOCK]
    return play_block(players, plan.agents, plan.seatings, plan.rules, deals, number * BLOCK, plan.seed)


def play_blocks(plan: Plan, store: Store, workers: int) -> Iterator[Outcome]:
    """Yield the outcomes of a plan's blocks in order, from the store where it has them.

    With one worker the games are played in this process. Closing the iterator stops the workers.
    AgentFailure where an agent fails; the blocks before it are in the store.
    """
    if workers == 1:
        yield from _play_here(plan, store)
        return
    context = get_context('spawn')
    with ProcessPoolExecutor(workers, context, _start_worker, (plan,)) as pool:
        try:
            yield from _play_in_pool(plan, store, pool, 2 * workers)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _play_here(plan: Plan, store: Store) -> Iterator[Outcome]:
    players = seat(plan, [make_agent(name) for name in plan.agents])
    limit_threads()
    for number in range(plan.num_blocks):
        outcome = store.load(number)
        if outcome is None:
            outcome = play_one(plan, players, number)
            store.save(number, outcome)
        yield outcome


def _play_in_pool(plan: Plan, store: Store, pool: ProcessPoolExecutor, ahead: int) -> Iterator[Outcome]:
    known = {number: outcome for number in range(plan.num_blocks) if (outcome := store.load(number)) is not None}
    waiting = iter([number for number in range(plan.num_blocks) if number not in known])
    futures: dict[int, Future[Outcome]] = {}

    def submit() -> None:
        number = next(waiting, None)
        if number is not None:
            futures[number] = pool.submit(_play_in_worker, number)
            futures[number].add_done_callback(lambda future: _save_if_played(store, number, future))

    for _ in range(ahead):
        submit()
    for number in range(plan.num_blocks):
        if number not in known:
            known[number] = futures.pop(number).result()
            submit()
        yield known.pop(number)


def _save_if_played(store: Store, number: int, future: Future[Outcome]) -> None:
    if not future.cancelled() and future.exception() is None:
        store.save(number, future.result())


def join(outcomes: Sequence[Outcome]) -> Outcome:
    """Join outcomes of blocks to one."""
    return Outcome(*(np.concatenate(parts) for parts in zip(*outcomes, strict=True)))


def play_until(
    blocks: Iterator[Outcome], enough: Callable[[Outcome], bool], on_block: Callable[[int], None]
) -> Outcome:
    """Join blocks until there are enough or none is left.

    Args:
        blocks: in order, so that the answer does not depend on which process is fastest.
        enough: tells whether the games so far suffice; it is asked after every 8 blocks.
        on_block: is told the deals of each block.
    """
    parts: list[Outcome] = []
    for block in blocks:
        parts.append(block)
        on_block(len(block.plies))
        if len(parts) % CHECK == 0 and enough(join(parts)):
            break
    return join(parts)
