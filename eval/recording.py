"""Games of a plan as records."""

from collections.abc import Generator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from eval.plan import Plan, identity
from eval.provenance import NO_WEIGHTS
from rlcard_kit.duplicate.block import BLOCK, Outcome
from rlcard_kit.records import MAX_NAME
from rlcard_kit.version import __version__


def recorded(blocks: Generator[Outcome], plan: Plan, description: dict[str, Any], file: Path) -> Generator[Outcome]:
    """Append the games of blocks, as they come, to a file of records; yield the blocks without their moves.

    A record's id identifies plan, deal and seating, so a resumed match does not write a game again. RecordError if the
    file has another format.
    """
    game, records = plan.evaluated, plan.evaluated.records
    known = {record.extra.get('id') for record in records.iterate(file)} if file.exists() else set()
    file.parent.mkdir(parents=True, exist_ok=True)
    match = identity(description).encode()
    agents = [_seat(name, description['weights'][name]) for name in plan.agents]

    def record(block: Outcome, first: int, deal: int, seating: int) -> Any:
        number = first + deal
        hands = plan.deals[number : number + 1]
        match_and_deal = sha256(match + hands.tobytes()).hexdigest()[:16]
        return game.record(
            hands,
            block.moves[deal, seating, : block.plies[deal, seating]].tolist(),
            plan.rules,
            payoffs=tuple(block.payoffs[deal, seating].tolist()),
            seats=tuple(agents[agent] for agent in plan.seatings[seating]),
            extra={'id': f'{match_and_deal}-{number}-{seating}', game.place: {'number': number, 'seating': seating}},
        )

    with closing(blocks):
        for number, block in enumerate(blocks):
            games = [record(block, number * BLOCK, *place) for place in np.ndindex(*block.plies.shape)]
            records.write(file, [one for one in games if one.extra['id'] not in known])
            yield block.without_moves()


def _seat(name: str, weights: str) -> dict[str, Any]:
    seat = {'name': name[:MAX_NAME], 'kind': 'agent', 'version': __version__}
    return seat if weights == NO_WEIGHTS else {**seat, 'weights': f'sha256:{weights}'}
