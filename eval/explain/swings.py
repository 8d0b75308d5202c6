"""The biggest value swings between two agents: games to replay, divergent decisions, and both agents' opinions."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import rlcard

from eval.explain.values import calibration_of
from eval.game import EvaluatedGame
from eval.pairs import Divergences, Pairs
from eval.tables import Listing
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.duplicate.time_limit import TimeLimit
from rlcard_kit.records import MAX_NAME
from rlcard_kit.text import pretty
from rlcard_kit.version import __version__

VALUE, PROBABILITY = 'value', 'probability'
KINDS = {'values': VALUE, 'probs': PROBABILITY}  # by key of the info that `eval_step` returns


class Opinion(NamedTuple):
    """An agent's values or probabilities of the moves of A and B."""

    kind: str  # the unit of payoffs if it is calibrated, else 'value', or 'probability' of playing the move
    of_moves: tuple[float, float]

    def __str__(self) -> str:
        return ', '.join(f'{x:.0%}' if self.kind == PROBABILITY else f'{x:+.1f}' for x in self.of_moves)


class Swing(NamedTuple):
    """Two games of the same deal and seats whose results differ much."""

    deal: int
    seat: int  # the first of A and B
    ply: int  # at which they diverge, counted from 0
    phase: str  # of the game then
    payoffs: tuple[int, int]  # of A and of B
    moves: tuple[str, str]
    games: tuple[Any, Any]  # records
    opinions: tuple[Opinion | None, ...]  # of A and B, if they have values; none if the field diverged

    @property
    def gain(self) -> int:
        """A's payoff less B's."""
        return self.payoffs[0] - self.payoffs[1]

    @property
    def position(self) -> Any:
        """The record of the position in which they diverge."""
        return self.games[0].at(self.ply)


def find_swings(
    game: EvaluatedGame, pairs: Pairs, divergences: Divergences, players: Sequence[MatchPlayer], count: int
) -> list[Swing]:
    """Return the games in which A gained most, and then those in which it lost most, `count` in all, half of each.

    Args:
        game: of the pairs.
        pairs: the games.
        divergences: of them.
        players: A and B.
        count: number of swings.

    Raises:
        AgentFailure: if A or B fails when asked for its opinion.
    """
    order = np.argsort(-divergences.gains, kind='stable')
    better = [index for index in order[: (count + 1) // 2] if divergences.gains[index] > 0]
    worse = [index for index in order[::-1][: count // 2] if divergences.gains[index] < 0]
    phases = next((group(pairs, divergences) for group in game.divergence_groups.values()), None)
    names = [''] * len(order) if phases is None else [phases.names[group] for group in phases.of]
    return [_swing(game, pairs, divergences, int(index), names[index], players) for index in (*better, *worse)]


def _swing(
    game: EvaluatedGame,
    pairs: Pairs,
    divergences: Divergences,
    index: int,
    phase: str,
    players: Sequence[MatchPlayer],
) -> Swing:
    deal, seating, ply = (int(part[index]) for part in (divergences.deals, divergences.seatings, divergences.plies))
    first, second = (_record(game, pairs, deal, which, seating, ply) for which in (0, 1))
    one, other = (game.card.text(move, pairs.rules) for move in divergences.moves[index].tolist())
    opinions: tuple[Opinion | None, ...] = ()
    if divergences.is_own[index]:
        where = f'deal {deal}, seat {divergences.movers[index]}'
        opinions = tuple(_opinion(game, player, first.at(ply), (one, other), where) for player in players)
    payoffs = tuple(pairs.own[deal, :, seating].tolist())
    return Swing(deal, int(pairs.seats[seating]), ply, phase, payoffs, (one, other), (first, second), opinions)


def _record(game: EvaluatedGame, pairs: Pairs, deal: int, which: int, seating: int, ply: int) -> Any:
    moves, seat = pairs.moves[deal, which, seating], int(pairs.seats[seating])
    names = [pairs.names[which if is_own else 2][:MAX_NAME] for is_own in pairs.is_own[seating]]
    return game.record(
        pairs.deals[deal : deal + 1],
        moves[moves >= 0].tolist(),
        pairs.rules,
        payoffs=tuple(pairs.payoffs[deal, which, seating].tolist()),
        seats=tuple({'name': name, 'kind': 'agent', 'version': __version__} for name in names),
        extra={
            'id': f'{deal}-{seat}-{"AB"[which]}',
            game.wording.place: {'number': deal, 'seat': seat, 'parts_at': ply + 1},
        },
    )


def _opinion(
    game: EvaluatedGame, player: MatchPlayer, position: Any, moves: tuple[str, str], where: str
) -> Opinion | None:
    """Return an agent's opinion of two moves in a position, or None if it has none."""
    if not callable(getattr(player.agent, 'eval_step', None)):
        return None
    env = rlcard.make(game.card.name, config={'seed': 0, 'game_rules': position.rules})
    state = env.reset(position=position)[0]
    try:
        with TimeLimit(player.seconds, f'{player.name} in {where}', player.watchdog):
            info: Any = player.agent.eval_step(state)[1]
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
            return Opinion(game.wording.counted, (one, other))
    return None


def list_swings(names: Sequence[str], phase: str, swings: Sequence[Swing], file: str) -> Listing:
    """Return swings as a listing, in the order of their games in a file; `phase` is the head of that column."""
    one, other = names[:2]
    heads = ('games', 'deal, seat', one, other, 'move', phase, f'{one} plays', f'{other} plays')
    columns = (*heads, f'{one} expects', f'{other} expects')
    rows = [
        (
            f'{2 * number + 1}, {2 * number + 2}',
            f'{swing.deal}, {swing.seat}',
            *(f'{payoff:+d}' for payoff in swing.payoffs),
            str(swing.ply + 1),
            swing.phase,
            *map(pretty, swing.moves),
            *('' if opinion is None else str(opinion) for opinion in swing.opinions or (None, None)),
        )
        for number, swing in enumerate(swings)
    ]
    return Listing(f'the biggest value swings ({file})', columns, tuple(rows))
