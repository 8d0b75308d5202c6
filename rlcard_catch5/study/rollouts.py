"""Rollouts: candidate moves played out in the same random deals of the cards that a seat cannot see."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rlcard_catch5.actions import parse_action
from rlcard_catch5.cards import FULL_DECK, cards_in, mask_of, parse_card, parse_cards, parse_suit
from rlcard_catch5.engine.batch import start_games
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.ruleset import tabulate
from rlcard_catch5.engine.state import (
    CARDS_PLAYED,
    DEAL,
    DEALT,
    FIRST_CARD_PLY,
    HAND_SIZE,
    NOTHING,
    NUM_PLAYERS,
    NUM_TEAMS,
    STOCK_SIZE,
    TRUMP_PLY,
    Games,
    new_games,
)
from rlcard_catch5.notation import suit_mask
from rlcard_kit.agents.base import Agent
from rlcard_kit.arrays import Float64Array, Int64Array
from rlcard_kit.rng import new_streams
from rlcard_kit.statistics import Estimate, estimate
from rlcard_kit.study.reasons import Events, Reason, find_reason, shares_of
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv

Seen = Mapping[str, Any]  # the 'raw_obs' of a state


class MoveEstimate(NamedTuple):
    """Outcome of a move."""

    move: str
    points: Estimate  # by which the own team is ahead at the end of the hand
    behind: Estimate  # points less than after the best move, in the same deals
    made: float | None  # share of the bids made: of the winning bid, in the auction of the own team's; None without one
    events: Mapping[str, float]  # shares of the deals in which they happened
    reason: Reason | None  # why the best move is better

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON, without the loss against the best move."""
        reason = None if self.reason is None else self.reason._asdict()
        mean, margin = self.points
        return {'move': self.move, 'mean': mean, 'margin': margin, 'made': self.made, 'reason': reason}


def roll_out(seen: Seen, moves: Sequence[str], agent: Agent, deals: int, seed: int = 0) -> list[MoveEstimate]:
    """Play out moves of the seat to move, all seats by the agent; return their outcomes, the best first.

    Args:
        seen: the raw state of the seat to move.
        moves: legal ones, as text.
        agent: plays in all seats, each by its own observation.
        deals: number of deals of the hidden cards, the same for all moves.
        seed: of the deals, and of an agent that draws.
    """
    drawn = worlds(seen, np.random.default_rng(seed), deals)
    env = VectorEnv(CATCH5, seen['rules'], np.zeros(deals * len(moves), DEAL))
    env.games = np.tile(drawn, len(moves))
    env.step_some(np.arange(env.num_games), np.repeat([parse_action(move) for move in moves], deals))
    seating, streams = np.zeros((env.num_games, NUM_PLAYERS), np.int64), new_streams(seed, env.num_games)
    table = Table(env, [agent], seating, streams.reshape(-1, 1), ask_forced=False)
    while not env.is_over:
        table.turn()
    payoffs = env.new_payoffs()
    CATCH5.rewards(tabulate(seen['rules']), env.games, payoffs)
    own = seen['self'] % NUM_TEAMS
    ahead = (payoffs[:, own] - payoffs[:, 1 - own]).reshape(len(moves), deals)
    made = _made(env.games, own, is_auction=len(seen['trace']) < TRUMP_PLY).reshape(len(moves), deals)
    first = ahead.mean(axis=1).argmax()
    best, events = (
        ahead[first],
        {name: one.reshape(ahead.shape) for name, one in _events(seen, env.games, ahead).items()},
    )
    after = [{name: one[i] for name, one in events.items()} for i in range(len(moves))]
    found = [
        MoveEstimate(
            move,
            estimate(points),
            estimate(best - points),
            _mean(bids),
            shares_of(after[i]),
            find_reason(after[first], after[i], np.arange(deals)),
        )
        for i, (move, points, bids) in enumerate(zip(moves, ahead, made, strict=True))
    ]
    return sorted(found, key=lambda one: -one.points.mean)


def _events(seen: Seen, games: Games, ahead: Int64Array) -> Events:
    """Return what happened in games that are over, bool [N] each, as the own team wants it."""
    own, rows = seen['self'] % NUM_TEAMS, np.arange(len(games))
    events = {'ahead': ahead.ravel() > 0}
    if len(seen['trace']) >= TRUMP_PLY:
        is_made = _made(games, own, is_auction=False) == 1
        events |= {'make': is_made} if seen['bidder'] % NUM_TEAMS == own else {'set': ~is_made}
    if len(seen['trace']) >= FIRST_CARD_PLY:
        winners, places = games['winners'] % NUM_TEAMS, games['order'] == parse_card(f'5{seen["trump"]}')
        events['trick'] = winners[:, len(seen['trick_winners'])] == own
        events['five'] = places.any(axis=1) & (winners[rows, places.argmax(axis=1) // NUM_PLAYERS] == own)
    return events


def _made(games: Games, own: int, is_auction: bool) -> Float64Array:
    """Return whether the winning bid of each game was made, float64 [N]; NaN in the auction if it is not the team's."""
    bidders = games['bidder'].astype(np.int64)
    rows = np.arange(len(games))
    made = (games['points'][rows, bidders % NUM_TEAMS] >= games['bids'][rows, bidders]).astype(np.float64)
    return np.where(is_auction & (bidders % NUM_TEAMS != own), np.nan, made)


def _mean(made: Float64Array) -> float | None:
    counted = made[~np.isnan(made)]
    return float(counted.mean()) if counted.size else None


def worlds(seen: Seen, random: np.random.Generator, count: int) -> Games:
    """Deal the cards that a seat cannot see at random; return games, [count] of GAME, that it cannot tell apart.

    Everyone holds at least the trumps that it is known to have kept, and no card of a suit that it failed to follow.
    Bids and other choices are not taken into account.
    """
    if seen['trump'] is None:
        return _before_refill(seen, random, count)
    games = np.repeat(_public(seen), count)
    for i in range(count):
        hands = _deal_hands(seen, random)
        for seat, hand in hands.items():
            games['hands'][i, seat] = hand
        games['thrown'][i] = _deal_thrown(seen, sum(hands.values()), random)
    return games


def _before_refill(seen: Seen, random: np.random.Generator, count: int) -> Games:
    own, games, deals = parse_cards(seen['current_hand']), new_games(count), np.zeros(count, DEAL)
    rest = np.array(cards_in(FULL_DECK & ~own))
    deals['dealer'], deals['redeal'], deals['leftover'] = seen['dealer'], NOTHING, NOTHING
    deals['word'] = random.integers(1 << 63, size=(count, 1))
    deals['hands'][:, seen['self']] = own
    for i in range(count):
        random.shuffle(rest)
        for j in range(1, NUM_PLAYERS):
            seat = (seen['self'] + j) % NUM_PLAYERS
            deals['hands'][i, seat] = mask_of(rest[(j - 1) * DEALT : j * DEALT].tolist())
    start_games(games, deals)
    for _, text in seen['trace']:
        CATCH5.step(tabulate(seen['rules']), games, np.full(count, parse_action(text)))
    return games


def _public(seen: Seen) -> Games:
    """Return the game as a seat knows it, [1] of GAME: other hands are empty."""
    game, seat = new_games(1), seen['self']
    order = [parse_card(text) for _, text in seen['trace'][FIRST_CARD_PLY:]]
    game['hands'][0, seat] = parse_cards(seen['current_hand'])
    game['thrown'][0, seat] = parse_cards(seen['thrown_cards'])
    game['played'] = [parse_cards(cards) for cards in seen['played_cards']]
    game['dead'] = parse_cards(seen['dead_cards'])
    game['order'] = order + [NOTHING] * (CARDS_PLAYED - len(order))
    game['winners'] = seen['trick_winners'] + [NOTHING] * (game['winners'].shape[1] - len(seen['trick_winners']))
    game['bids'] = seen['bids']
    game['trick'] = [parse_card(card) if card else NOTHING for card in seen['trick']]
    game['drawn'] = seen['num_cards_lacked']
    game['trump'] = parse_suit(seen['trump'])
    game['ply'] = len(seen['trace'])
    game['player'] = seen['current_player']
    for name in ('points', 'dealer', 'bidder', 'leader'):
        game[name] = seen[name]
    return game


def _others(seen: Seen) -> list[int]:
    return [(seen['self'] + i) % NUM_PLAYERS for i in range(1, NUM_PLAYERS)]


def _deal_hands(seen: Seen, random: np.random.Generator) -> dict[int, int]:
    """Return a mask for each other seat: the trumps it kept, the trumps drawn, and then other cards."""
    trumps, unseen, barred = suit_mask(seen['trump']), _unseen(seen), barred_cards(seen)
    seats = sorted(_others(seen), key=lambda seat: (unseen & ~barred[seat]).bit_count())  # the least choice first
    room, hands = dict(enumerate(seen['num_cards_left'])), dict.fromkeys(seats, 0)

    def give(seat: int, cards: int, count: int) -> None:
        able = cards_in(cards & ~sum(hands.values()))
        hands[seat] |= mask_of(random.permutation(able)[: min(count, room[seat])].tolist())

    for seat in seats:
        played = (parse_cards(seen['played_cards'][seat]) & trumps).bit_count()
        give(seat, unseen & trumps & ~barred[seat], max(0, HAND_SIZE - seen['num_cards_lacked'][seat] - played))
    for card in random.permutation(cards_in(unseen & trumps & ~sum(hands.values()))).tolist():
        able = [seat for seat in seats if hands[seat].bit_count() < room[seat] and not barred[seat] >> card & 1]
        if able:  # all trumps are in play, but for those that exceeded a hand
            hands[int(random.choice(able))] |= 1 << card
    for seat in seats:
        give(seat, unseen & ~trumps & ~barred[seat], room[seat] - hands[seat].bit_count())
    for seat in seats:  # another seat may have got the only cards that were left for this one
        give(seat, unseen, room[seat] - hands[seat].bit_count())
    return hands


def _unseen(seen: Seen) -> int:
    """Return the mask of the cards that others may hold: the seat's discards too, if the stock ran out."""
    known = parse_cards(' '.join([*seen['played_cards'], seen['current_hand'], seen['dead_cards']]))
    ran_out = sum(seen['num_cards_lacked']) > STOCK_SIZE
    return FULL_DECK & ~(known if ran_out else known | parse_cards(seen['thrown_cards']))


def barred_cards(seen: Seen) -> list[int]:
    """Return the mask of the suits that each seat was unable to follow."""
    barred, played = [0] * NUM_PLAYERS, seen['trace'][FIRST_CARD_PLY:]
    for first in range(0, len(played), NUM_PLAYERS):
        (_, led), *answers = played[first : first + NUM_PLAYERS]
        for seat, text in answers:
            may_trump = seen['rules'].following == 'trump' and text[1].upper() == seen['trump']
            if text[1] != led[1] and not may_trump:
                barred[seat] |= suit_mask(led[1])
    return barred


def _deal_thrown(seen: Seen, held: int, random: np.random.Generator) -> list[int]:
    """Return the discards of each seat, of which a seat knows its own."""
    thrown = [0] * NUM_PLAYERS
    thrown[seen['self']] = own = parse_cards(seen['thrown_cards'])
    gone = own | held | parse_cards(' '.join([*seen['played_cards'], seen['current_hand']]))
    rest = random.permutation(cards_in(FULL_DECK & ~gone & ~suit_mask(seen['trump']))).tolist()
    for seat in _others(seen):
        count = DEALT - HAND_SIZE + seen['num_cards_lacked'][seat]
        thrown[seat], rest = mask_of(rest[:count]), rest[count:]
    return thrown
