"""A plan's blocks in order, however many processes play them."""

from collections.abc import Callable, Generator, Iterator
from contextlib import closing

from eval.plan import Plan
from eval.pool import Answer, play_in_processes
from eval.seats import play_one, seat
from eval.store import Store
from rlcard_big2.duplicate.block import Outcome

CHECK = 8  # blocks between two looks at the precision


def play_blocks(plan: Plan, store: Store, workers: int) -> Generator[Outcome]:
    """Yield the outcomes of a plan's blocks in order, from the store where it has them.

    With one worker, or one block to play, the games are played in this process. Closing the iterator stops
    the workers. AgentFailure where an agent fails, WorkerError where a process dies; what is finished by
    then is in the store.
    """
    known: dict[int, Answer] = {}
    for number in range(plan.num_blocks):
        outcome = store.load(number)
        if outcome is not None:
            known[number] = outcome
    missing = [number for number in range(plan.num_blocks) if number not in known]
    count = min(workers, len(missing))
    with closing(_play_here(plan, missing) if count < 2 else play_in_processes(plan, missing, count)) as answers:
        for number in range(plan.num_blocks):
            while number not in known:
                finished, answer = next(answers)
                known[finished] = answer
                if isinstance(answer, Outcome):
                    store.save(finished, answer)
            yield _outcome_of(known.pop(number))


def _play_here(plan: Plan, numbers: list[int]) -> Generator[tuple[int, Answer]]:
    players = seat(plan)
    for number in numbers:
        yield number, play_one(plan, players, number)


def _outcome_of(answer: Answer) -> Outcome:
    """Return an outcome; a failure is raised only when its turn comes, so that the first is the same for all."""
    if isinstance(answer, Outcome):
        return answer
    raise answer


def play_until(
    blocks: Iterator[Outcome], needed: Callable[[Outcome], int], on_block: Callable[[int, int | None], None]
) -> Outcome:
    """Join blocks until there are enough or none is left.

    Args:
        blocks: in order, so that the answer does not depend on which process is fastest.
        needed: estimates from the games so far how many deals it takes; it is asked after every 8 blocks.
        on_block: is told the deals so far, and how many it takes as soon as that is known.
    """
    parts: list[Outcome] = []
    total = None
    for block in blocks:
        parts.append(block)
        played = sum(len(part.plies) for part in parts)
        if len(parts) % CHECK == 0:
            total = needed(Outcome.join(parts))
            if total <= played:
                break
        on_block(played, total)
    return Outcome.join(parts)
