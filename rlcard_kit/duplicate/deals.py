"""Deals of any game, played by players in all of its seatings."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rlcard_kit.arrays import Int64Array
from rlcard_kit.duplicate.block import BLOCK, Block, Outcome, play_block
from rlcard_kit.duplicate.players import MatchPlayer
from rlcard_kit.errors import check_whole
from rlcard_kit.game import CardGame, Deals
from rlcard_kit.rng import new_streams
from rlcard_kit.rules import rules_note
from rlcard_kit.threads import limit_threads

MOST_DEALS = 10_000_000  # which take a day


def deal_from_seed(game: CardGame, seed: int, count: int) -> Deals:
    """Deal `count` times; return deals, [count] of `game.deal`. Deal d of a seed does not depend on `count`."""
    deals = np.zeros(count, game.deal)
    game.shuffle(new_streams(seed, count), deals)
    return deals


def seat_players(agents: Sequence[Any], made: Sequence[Any], roles: Sequence[str]) -> list[MatchPlayer]:
    """Return the players of a match.

    Args:
        agents: as they were given: names, or agents.
        made: the agents.
        roles: what one that has no name is called in errors.
    """
    names = [agent if isinstance(agent, str) else f'the {role}' for agent, role in zip(agents, roles, strict=True)]
    return [MatchPlayer(agent, name) for agent, name in zip(made, names, strict=True)]


def play_hands(game: CardGame, players: Sequence[MatchPlayer], deals: int, rules: Any, seed: int) -> Outcome:
    """Play as many deals of a seed, each once in every seating of the first player against the second.

    Numpy and torch use one thread from then on.

    Raises:
        ConfigError: if there are fewer than two deals, since an interval needs two, or the seed is not a whole number.
        AgentFailure: if an agent fails, naming the deal and the seat.
    """
    check_whole('deals', deals, 2, MOST_DEALS)
    check_whole('seed', seed, 0)
    limit_threads()
    return play_deals(game, players, deal_from_seed(game, seed, deals), game.seatings(0, 1), rules, seed)


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


def notes_on(players: Sequence[MatchPlayer], rules: Any) -> tuple[str, ...]:
    """Return what has to be said of the players: that they were trained on other rules."""
    notes = (rules_note(player.name, getattr(player.agent, 'trained_on', None), rules) for player in players)
    return tuple(filter(None, notes))
