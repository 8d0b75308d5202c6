"""A game unlike Big 2: two partnerships bid, then play three tricks; moves are ids, and payoffs do not sum to zero.

Twelve cards are dealt, three to a seat. Each seat in turn passes (0) or bids more tricks than anyone before it; the
highest bidder leads. Whoever can must beat the highest card of a trick; who wins it leads the next. Every seat gains
its team's tricks, but a team that falls short of its bid loses the bid. Moves 0..3 are bids, move 4 + c is card c.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from typing_extensions import override

from rlcard_kit.agents.base import Agent, RandomAgent
from rlcard_kit.game import CardGame
from rlcard_kit.positions import Decision
from rlcard_kit.rules import Rulebook, find_rules_of

SEATS, CARDS, BIDS = 4, 3, 4
MAX_PLIES = SEATS + SEATS * CARDS
TEAM = np.arange(SEATS) % 2
DEAL = np.dtype([('dealer', np.int64), ('hands', np.int64, (SEATS, CARDS))])
STATE = np.dtype(
    [
        ('hands', bool, (SEATS, SEATS * CARDS)),
        *[(name, np.int64, SEATS) for name in ('bids', 'trick', 'tricks')],
        *[(name, np.int64) for name in ('player', 'ply')],
    ]
)
OBSERVATION = np.dtype([('hand', np.int64, SEATS * CARDS), ('bids', np.int64, SEATS), ('trick', np.int64, SEATS)])


@dataclass(frozen=True)
class Rules(Rulebook):
    """Rules as data: every variant is a value of this class."""

    factor: int = 1  # of the payoffs

    @classmethod
    def presets(cls):
        """Return rules by name; the first are the default."""
        return {'plain': cls(), 'doubled': cls(2)}


def tabulate(rules):
    """Return rules as the other functions read them, int64 [1]: the factor."""
    return np.array([rules.factor])


def shuffle(random, out):
    """Write a deal from each stream into `out`, [N] of DEAL."""
    for i in range(len(out)):
        generator = np.random.default_rng(random[i])
        out['dealer'][i] = generator.integers(SEATS)
        out['hands'][i] = generator.permutation(SEATS * CARDS).reshape(SEATS, CARDS)
        random[i] = generator.integers(2**63)


def init(games, deals):
    """Start games, [N] of STATE, with deals, [N]."""
    games['hands'] = (deals['hands'][..., None] == np.arange(SEATS * CARDS)).any(axis=2)
    games['bids'] = games['trick'] = -1
    games['tricks'] = games['ply'] = 0
    games['player'] = (deals['dealer'] + 1) % SEATS


def reset(games, where, random):
    """Deal and start the games at the indices `where`, [K], each from its own stream."""
    deals, streams, started = np.empty(len(where), DEAL), random[where], games[where]
    shuffle(streams, deals)
    init(started, deals)
    games[where], random[where] = started, streams


def current_player(games):
    """Return the seat to move in each game, [N]."""
    return games['player'].copy()


def is_terminal(games):
    """Return whether each game is over, bool [N]."""
    return games['ply'] == MAX_PLIES


def observe(table, games, seats, out):
    """Write what one seat of each game sees, from its side of the table, into `out`, [N] of OBSERVATION."""
    for i, seat in enumerate(seats):
        out['hand'][i] = games['hands'][i, seat]
        out['bids'][i], out['trick'][i] = (np.roll(games[name][i], -seat) for name in ('bids', 'trick'))


def legal_in(game):
    """Return the legal moves of one game."""
    if game['ply'] < SEATS:
        return [0, *range(max(game['bids'].max(), 0) + 1, BIDS)]
    held = np.flatnonzero(game['hands'][game['player']])
    higher = held[held > game['trick'].max()]
    return [BIDS + card for card in (higher if higher.size else held)]


def legal_actions(table, games, moves, offsets):
    """Write the legal moves of game i into moves[offsets[i]:offsets[i + 1]]; return their number."""
    offsets[0] = 0
    for i, over in enumerate(is_terminal(games)):
        legal = [] if over else legal_in(games[i])
        offsets[i + 1] = offsets[i] + len(legal)
        moves[offsets[i] : offsets[i + 1]] = legal
    return int(offsets[-1])


def find_illegal(table, games, moves):
    """Return the index of the first game whose move is not legal, or -1."""
    return next((i for i in range(len(games)) if moves[i] not in legal_in(games[i])), -1)


def step(table, games, moves):
    """Make one move in each game that is not over."""
    for i in np.flatnonzero(~is_terminal(games)):
        play_in(games[i], moves[i])


def play_in(game, move):
    """Make a move in one game, a view of its record."""
    seat = game['player']
    game['ply'] += 1
    game['player'] = (seat + 1) % SEATS
    if game['ply'] <= SEATS:
        game['bids'][seat] = move
        if game['ply'] == SEATS:
            game['player'] = game['bids'].argmax()
        return
    game['trick'][seat] = move - BIDS
    game['hands'][seat, move - BIDS] = False
    if (game['trick'] >= 0).all():
        game['player'] = game['trick'].argmax()
        game['tricks'][game['player']] += 1
        game['trick'] = -1


def rewards(table, games, payoffs):
    """Write the payoffs of the seats into [N, seats]; zeros until a game ends."""
    tricks = np.stack([games['tricks'][:, team == TEAM].sum(axis=1) for team in (0, 1)], axis=1)
    bidder, bid = TEAM[games['bids'].argmax(axis=1)], games['bids'].max(axis=1)
    fallen = (tricks[np.arange(len(games)), bidder] < bid)[:, None] & (np.arange(2) == bidder[:, None])
    points = np.where(fallen, -bid[:, None], tricks) * table[0]
    payoffs[:] = np.where(is_terminal(games)[:, None], points[:, TEAM], 0)


def text(move, rules):
    """Return a move as text."""
    return f'bid {move}' if move < BIDS else f'card {move - BIDS}'


def seatings(agent, field):
    """Return the two seatings of a match, [2, seats]: each side once in both pairs of seats."""
    return np.array([[agent, field] * 2, [field, agent] * 2])


def wins(payoffs):
    """Return whether each seat has won, [..., seats]: its team has more than the other."""
    return payoffs > np.roll(payoffs, 1, axis=-1)


def measure(games):
    """Return the figures of finished games, [N, seats, 2]: tricks and bids."""
    return np.stack([games['tricks'], games['bids']], axis=2)


TOY = CardGame(
    name='toy', num_seats=SEATS, teams=((0, 2), (1, 3)), opponents=('next', 'partner', 'previous'),
    state=STATE, observation=OBSERVATION, deal=DEAL, max_legal=BIDS, max_plies=MAX_PLIES, figures=('tricks', 'bid'),
    find_rules=partial(find_rules_of, Rules), tabulate=tabulate, shuffle=shuffle, init=init, reset=reset,
    current_player=current_player, is_terminal=is_terminal, observe=observe, legal_actions=legal_actions,
    find_illegal=find_illegal, step=step, rewards=rewards, text=text, seatings=seatings, wins=wins, measure=measure,
)  # fmt: skip


class ToyAgent(Agent):
    """An agent of this game: `choose` returns indices into `positions.moves`."""

    default_rules = Rules()


class RandomBidder(RandomAgent, ToyAgent):
    """Plays at random."""


class Bold(ToyAgent):
    """Takes the highest bid and the highest card."""

    @override
    def choose(self, positions, random):
        return Decision(positions.offsets[1:] - 1)


class Shy(ToyAgent):
    """Never bids, and plays its lowest card."""

    @override
    def choose(self, positions, random):
        return Decision(positions.offsets[:-1])
