"""Clones of the players of recorded games; see `rlcard_big2.search.clone`."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from rlcard_big2.engine.batch import play_moves
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.models import load_dmc
from rlcard_big2.records import Record
from rlcard_big2.search.clone import PRIOR, Choices, CloneAgent, read_clone
from rlcard_big2.search.zoo import load_small_networks
from rlcard_kit.agents import Positions
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.errors import ConfigError
from rlcard_kit.vector_env import positions_of


def load_clone(file: Path) -> CloneAgent:
    """Load the agent `clone:FILE`."""
    return make_clone(read_clone(file))


def make_clone(weights: Float64Array = PRIOR) -> CloneAgent:
    """Return the agent of some weights, which plays without torch."""
    return CloneAgent(weights, load_dmc(numpy=True), load_small_networks())


def choices_of(games: Sequence[Record], players: Sequence[str] = ()) -> Choices:
    """Return the decisions of some players, by their names, in the games in which their hands are known.

    Args:
        games: finished or not.
        players: none stands for the people, or for all if there are none.

    Raises:
        ConfigError: if a player is in no game, or there is no decision.
    """
    known = dict.fromkeys(name for game in games for name in _names(game))
    people = {str(seat.get('name')) for game in games for seat in game.seats or () if seat.get('kind') == 'person'}
    for player in players:
        if player not in known:
            raise ConfigError(f'no player {player!r} in these games: choose among {", ".join(known) or "none"}')
    agent = make_clone()
    traits, counts, made = [], [], []
    for rules in dict.fromkeys(game.rules for game in games):
        agent.prepare(rules)
        for positions, indices in _decisions(
            [game for game in games if game.rules == rules], players or people or known
        ):
            traits.append(agent.policy.traits(positions))
            counts.append(positions.counts)
            made.append(indices)
    if not made:
        raise ConfigError('no decision among several moves, with a known hand, in these games')
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(counts))))
    return Choices(np.concatenate(traits), offsets, offsets[:-1] + np.concatenate(made))


def _decisions(games: Sequence[Record], players: Collection[str]) -> Iterator[tuple[Positions, Int64Array]]:
    """Yield the decisions of players in games of the same rules: positions, [N], and the number of the move made, [N].

    The games are replayed at once, move by move.
    """
    table, is_player = tabulate(games[0].rules), np.zeros((len(games), games[0].rules.players), np.bool_)
    for i, game in enumerate(games):
        known = zip(_names(game), game.hands, strict=True)
        is_player[i, :] = [name in players and hand is not None for name, hand in known]
    states = np.concatenate([game.start() for game in games])
    for ply in range(max(len(game.moves) for game in games)):
        playing = np.array([i for i, game in enumerate(games) if ply < len(game.moves)])
        games, is_player, states = [games[i] for i in playing], is_player[playing], states.take(playing)
        moves = np.array([game.moves[ply] for game in games])
        positions = positions_of(BIG2, table, states)
        asked = np.flatnonzero((positions.counts > 1) & is_player[np.arange(len(games)), states['player']])
        if asked.size:
            chosen = positions.select(asked)
            made = np.flatnonzero(chosen.moves == moves[asked][chosen.owners])
            yield chosen, made - chosen.offsets[:-1]
        play_moves(table, states, moves)


def _names(game: Record) -> Iterable[str]:
    seats = game.seats or ({},) * game.rules.players
    return [str(seat.get('name', f'seat {number}')) for number, seat in enumerate(seats)]
