"""The biggest value swings between two agents: games to replay, divergent decisions, and both agents' opinions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from eval.big2.pairs import Divergences, Pairs
from eval.big2.values import calibration_of
from eval.tables import Listing
from rlcard_big2 import records
from rlcard_big2.engine.state import NUM_PLAYERS
from rlcard_big2.records import Record
from rlcard_big2.study.review import open_position
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.duplicate.time_limit import TimeLimit
from rlcard_kit.terminal.style import pretty
from rlcard_kit.version import __version__

SWINGS = 'swings.big2.jsonl'
CARDS, VALUE, PROBABILITY = 'cards', 'value', 'probability'
KINDS = {'values': VALUE, 'probs': PROBABILITY}  # by key of the info that `eval_step` returns


class Opinion(NamedTuple):
    """An agent's values or probabilities of the moves of A and B."""

    kind: str  # 'cards' if it is calibrated, else 'value', or 'probability' of playing the move
    of_moves: tuple[float, float]

    def __str__(self) -> str:
        return ', '.join(f'{x:.0%}' if self.kind == PROBABILITY else f'{x:+.1f}' for x in self.of_moves)


class Swing(NamedTuple):
    """Two games of the same deal and seat whose payoffs differ much."""

    deal: int
    seat: int
    ply: int  # at which they diverge, counted from 0
    left: int  # cards that A and B held then
    payoffs: tuple[int, int]  # of A and of B
    moves: tuple[str, str]
    games: tuple[Record, Record]
    opinions: tuple[Opinion | None, ...]  # of A and B, if they have values; none if the field diverged

    @property
    def gain(self) -> int:
        """A's payoff less B's."""
        return self.payoffs[0] - self.payoffs[1]

    @property
    def position(self) -> Record:
        """The position in which they diverge."""
        return self.games[0].at(self.ply)


def find_swings(pairs: Pairs, divergences: Divergences, players: Sequence[MatchPlayer], count: int) -> list[Swing]:
    """Return the games in which A gained most, and then those in which it lost most, `count` in all, half of each.

    AgentFailure if A or B, the players, fails when asked for its opinion.
    """
    order = np.argsort(-divergences.gains, kind='stable')
    better = [index for index in order[: (count + 1) // 2] if divergences.gains[index] > 0]
    worse = [index for index in order[::-1][: count // 2] if divergences.gains[index] < 0]
    return [_swing(pairs, divergences, int(index), players) for index in (*better, *worse)]


def _swing(pairs: Pairs, divergences: Divergences, index: int, players: Sequence[MatchPlayer]) -> Swing:
    deal, seat, ply = (int(part[index]) for part in (divergences.deals, divergences.seats, divergences.plies))
    games = (_record(pairs, deal, 0, seat, ply), _record(pairs, deal, 1, seat, ply))
    moves = (games[0].trace[ply][1], games[1].trace[ply][1])
    asked = players if divergences.movers[index] == seat else ()
    opinions = tuple(_opinion(player, games[0].at(ply), moves, deal) for player in asked)
    payoffs = pairs.own[deal, :, seat].tolist()
    return Swing(deal, seat, ply, int(divergences.left[index]), tuple(payoffs), moves, games, opinions)


def _record(pairs: Pairs, deal: int, which: int, seat: int, ply: int) -> Record:
    moves = pairs.moves[deal, which, seat]
    seats = [pairs.names[2]] * NUM_PLAYERS
    seats[seat] = pairs.names[which]
    return Record(
        hands=tuple(pairs.deals[deal].tolist()),
        moves=tuple(moves[moves >= 0].tolist()),
        rules=pairs.rules,
        payoffs=tuple(pairs.payoffs[deal, which, seat].tolist()),
        seats=tuple({'name': name[: records.MAX_NAME], 'kind': 'agent', 'version': __version__} for name in seats),
        extra={'id': f'{deal}-{seat}-{"AB"[which]}', 'deal': {'number': deal, 'seat': seat, 'parts_at': ply + 1}},
    )


def _opinion(player: MatchPlayer, position: Record, moves: tuple[str, str], deal: int) -> Opinion | None:
    """Return an agent's opinion of two moves in a position, or None if it has none."""
    if not callable(getattr(player.agent, 'eval_step', None)):
        return None
    where = f'deal {deal}, seat {position.player}'
    try:
        with TimeLimit(player.seconds, f'{player.name} in {where}', player.watchdog):
            info: Any = player.agent.eval_step(open_position(position))[1]
    except Exception as error:
        raise player.failure(where, error) from error
    tables = calibration_of(player.agent, position.rules)
    for key, kind in KINDS.items():
        predicted = info.get(key) or {}
        if all(move in predicted for move in moves):
            one, other = float(predicted[moves[0]]), float(predicted[moves[1]])
            if kind == PROBABILITY or tables is None:
                return Opinion(kind, (one, other))
            one, other = tables.expected_cards([one, other]).tolist()
            return Opinion(CARDS, (one, other))
    return None


def list_swings(names: Sequence[str], swings: Sequence[Swing]) -> Listing:
    """Return swings as a listing, in the order of their games in the file."""
    one, other = names[:2]
    heads = ('games', 'deal, seat', one, other, 'move', 'cards left', f'{one} plays', f'{other} plays')
    columns = (*heads, f'{one} expects', f'{other} expects')
    rows = [
        (
            f'{2 * number + 1}, {2 * number + 2}',
            f'{swing.deal}, {swing.seat}',
            *(f'{payoff:+d}' for payoff in swing.payoffs),
            str(swing.ply + 1),
            str(swing.left),
            *map(pretty, swing.moves),
            *('' if opinion is None else str(opinion) for opinion in swing.opinions or (None, None)),
        )
        for number, swing in enumerate(swings)
    ]
    return Listing(f'the biggest value swings ({SWINGS})', columns, tuple(rows))
