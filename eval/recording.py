"""Games of a plan as records."""

from collections.abc import Generator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

from eval.plan import Plan, identity
from eval.provenance import NO_WEIGHTS
from rlcard_kit.duplicate.block import BLOCK, Outcome
from rlcard_kit.records import MAX_NAME
from rlcard_kit.version import __version__


def recorded(blocks: Generator[Outcome], plan: Plan, description: dict[str, Any], file: Path) -> Generator[Outcome]:
    """Append the games of blocks, as they come, to a file of records; yield the blocks without their moves.

    A record's id identifies plan, deal and seating, so a resumed match does not write a game again.

    Args:
        blocks: of the plan, in order.
        plan: the games.
        description: of the plan and its agents; its 'weights' are their checksums by name.
        file: made if it does not exist.

    Raises:
        RecordError: if the file has another format.
        OSError: if the file cannot be written.
    """
    records = plan.evaluated.records
    known = {record.extra.get('id') for record in records.iterate(file)} if file.exists() else set()
    file.parent.mkdir(parents=True, exist_ok=True)
    describe = _Describer(plan, description)
    with closing(blocks):
        for number, block in enumerate(blocks):
            games = describe.block(block, number * BLOCK)
            records.write(file, [game for game in games if game.extra['id'] not in known])
            yield block.without_moves()


class _Describer:
    """Makes the records of a plan's games.

    Args:
        plan: the games.
        description: of the plan and its agents.
    """

    def __init__(self, plan: Plan, description: dict[str, Any]) -> None:
        self._plan = plan
        self._identity = identity(description).encode()
        self._agents = [_seat(name, description['weights'][name]) for name in plan.agents]

    def block(self, block: Outcome, first: int) -> list[Any]:
        """Return the records of a block, deal by deal; `first` is the number of its first deal in the plan."""
        deals, seatings = block.plies.shape
        return [self._record(block, first, deal, seating) for deal in range(deals) for seating in range(seatings)]

    def _record(self, block: Outcome, first: int, deal: int, seating: int) -> Any:
        number, plies, game = first + deal, int(block.plies[deal, seating]), self._plan.evaluated
        plan_and_deal = sha256(self._identity + self._plan.deals[number].tobytes()).hexdigest()[:16]
        return game.record(
            self._plan.deals[number : number + 1],
            block.moves[deal, seating, :plies].tolist(),
            self._plan.rules,
            payoffs=tuple(block.payoffs[deal, seating].tolist()),
            seats=tuple(self._agents[agent] for agent in self._plan.seatings[seating]),
            extra={'id': f'{plan_and_deal}-{number}-{seating}', game.place: {'number': number, 'seating': seating}},
        )


def _seat(name: str, weights: str) -> dict[str, Any]:
    seat = {'name': name[:MAX_NAME], 'kind': 'agent', 'version': __version__}
    return seat if weights == NO_WEIGHTS else {**seat, 'weights': f'sha256:{weights}'}
