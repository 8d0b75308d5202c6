"""Deals of any game: from a seed, in files, and played in all seatings."""

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlcard_kit.agents import agent_of
from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import BLOCK, Block, Outcome, count_faults, play_block
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.errors import HandsError, check_whole
from rlcard_kit.files import read_file, replace
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.process import limit_threads
from rlcard_kit.rng import new_streams
from rlcard_kit.rules import rules_note

MOST_DEALS = 10_000_000  # which take a day
LARGEST = 1 << 30  # bytes of a file of deals


def deal_from_seed(game: CardGame, seed: int | Sequence[int], count: int) -> Deals:
    """Deal `count` times; return deals, [count] of `game.deal`. Deal d of a seed does not depend on `count`."""
    deals = np.zeros(count, game.deal)
    game.shuffle(new_streams(seed, count), deals)
    return deals


def seat_players(agents: Sequence[Any], made: Sequence[Any], roles: Sequence[str]) -> list[MatchPlayer]:
    """Return the players of a match: agents given by name or as such, as made, and by their roles if without a name."""
    names = [agent if isinstance(agent, str) else f'the {role}' for agent, role in zip(agents, roles, strict=True)]
    return [MatchPlayer(agent, name) for agent, name in zip(made, names, strict=True)]


def play_hands(
    game: CardGame, make_agent: Callable[[str, Any], Any], agents: Mapping[str, Any], deals: int, rules: Any, seed: int
) -> tuple[Outcome, tuple[str, ...]]:
    """Play deals from a seed, each once in every seating of one agent against another; numpy and torch use one thread.

    Args:
        game: to play.
        make_agent: constructor of agents from a name and rules.
        agents: the two, or their names, by their roles, for errors.
        deals: how many, at least two, since an interval needs two.
        rules: to play by, as `game.find_rules` accepts them.
        seed: of the deals and of the agents' draws.

    Returns:
        The outcome, a warning for each agent that was trained on other rules, and one for each kind of fault.

    Raises:
        ConfigError: if the deals or the seed are out of bounds, or an agent is none of this game.
        AgentFailure: if an agent fails, naming the deal and the seat.
    """
    check_whole('deals', deals, 2, MOST_DEALS)
    check_whole('seed', seed, 0)
    rules = game.find_rules(rules)
    made = [agent_of(agent, make_agent, rules, role) for role, agent in agents.items()]
    players = seat_players(list(agents.values()), made, list(agents))
    limit_threads()
    seatings = game.seatings(0, 1)
    outcome = play_deals(game, players, deal_from_seed(game, seed, deals), seatings, rules, seed)
    notes = [rules_note(player.name, getattr(player.agent, 'trained_on', None), rules) for player in players]
    faults = count_faults(outcome.faults, seatings, [player.name for player in players])
    return outcome, (*filter(None, notes), *map(str, faults))


def play_deals(
    game: CardGame,
    players: Sequence[MatchPlayer],
    deals: Deals,
    seatings: Int64Array,
    rules: Any,
    seed: int,
    keep_moves: bool = False,
) -> Outcome:
    """Play deals, [D], each once in every seating, int64 [G, seats]; AgentFailure if an agent fails.

    Args:
        game: of the deals.
        players: of the seatings, by number.
        deals: of `game.deal`.
        seatings: the number of the player in each seat.
        rules: to play by.
        seed: of the players' draws.
        keep_moves: keep the moves of every game.
    """
    blocks = (
        Block(game, rules, deals[first : first + BLOCK], first, seatings, seed, keep_moves)
        for first in range(0, len(deals), BLOCK)
    )
    return Outcome.join([play_block(block, players) for block in blocks])


def write_arrays(path: Path, game: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name, with the name of their game, in numpy's .npz format."""

    def write(temporary: Path) -> None:
        with temporary.open('wb') as file:  # numpy would add .npz to a name that lacks it
            np.savez_compressed(file, game=np.array(game), **arrays)  # type: ignore[arg-type]

    replace(path, write)


def read_arrays(path: Path, game: str, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Read arrays by name; HandsError if they are not there, or of another game."""
    needed = ', '.join(map(repr, ('game', *names)))
    try:
        with np.load(BytesIO(read_file(path, LARGEST)), allow_pickle=False) as arrays:
            stored = str(arrays['game'])
            read = {name: np.asarray(arrays[name]) for name in names} if stored == game else {}
    except Exception as error:  # a damaged file may raise anything
        raise HandsError(f'{path} holds no deals: {error}; an .npz file with {needed} is needed') from error
    if stored != game:
        raise HandsError(f'{path} holds deals of {stored!r}, not of {game!r}')
    return read
