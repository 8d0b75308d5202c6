"""Groups of hands of Catch Five in which two agents are compared: by deal, by auction and by divergent decision."""

import numpy as np

from eval.pairs import FIFTHS, Divergences, Grouping, Pairs, by_case, by_fifth, replay
from rlcard_catch5.actions import FIRST_CARD, PASS
from rlcard_catch5.agents.rule import worth_of_suit
from rlcard_catch5.cards import NUM_RANKS, NUM_SUITS
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import NOTHING, TRUMP_PLY

PLACES = ('leads', 'plays second', 'plays third', 'plays last')


def by_hand(pairs: Pairs) -> Grouping:
    """Group hands by the worth of the team's best suit, see `worth_of_suit`."""
    worths = [
        [max(worth_of_suit(hand, suit) for suit in range(NUM_SUITS)) for hand in hands]
        for hands in pairs.deals['hands'].tolist()
    ]
    best = np.where(pairs.is_own, np.array(worths)[:, None], 0).max(axis=2)
    return by_fifth('the hands dealt', best, 'points', FIFTHS[::-1])


def by_turn(pairs: Pairs) -> Grouping:
    """Group hands by the team of the dealer, who bids last."""
    is_dealers = pairs.is_own[:, pairs.deals['dealer']].T
    return Grouping('turn', ("the dealer's team", 'the other team'), np.where(is_dealers, 0, 1))


def by_phase(pairs: Pairs, divergences: Divergences) -> Grouping:
    """Group divergences by the phase of the hand."""
    states, plies = divergences.states, divergences.plies
    position = (states['trick'] != NOTHING).sum(axis=1)
    played = plies > TRUMP_PLY
    cards = {name: played & (position == i) for i, name in enumerate(PLACES)}
    return by_case('phase', {'bids': plies < TRUMP_PLY, 'chooses trumps': plies == TRUMP_PLY, **cards})


def by_choice(pairs: Pairs, divergences: Divergences) -> Grouping:
    """Group divergences by the choices of A and B."""
    one, other = pairs.names[:2]
    is_own, states, plies = divergences.is_own, divergences.states, divergences.plies
    first, second = divergences.moves.T
    bids, played = is_own & (plies < TRUMP_PLY), is_own & (plies > TRUMP_PLY)
    both_bid = bids & (first != PASS) & (second != PASS)
    is_trump = (divergences.moves - FIRST_CARD) // NUM_RANKS == states['trump'][:, None]
    leads = (states['trick'] == NOTHING).all(axis=1)
    cases = {
        f'{one} passes, {other} bids': bids & (first == PASS),
        f'{one} bids, {other} passes': bids & (second == PASS),
        f'both bid, {one} more': both_bid & (first > second),
        f'both bid, {one} less': both_bid & (first < second),
        'they name different trumps': is_own & (plies == TRUMP_PLY),
    }
    of_one, of_other = is_trump.T
    for verb, verbs, chosen in (('lead', 'leads', played & leads), ('follow with', 'follows with', played & ~leads)):
        cases |= {
            f'{one} {verbs} a trump, {other} does not': chosen & of_one & ~of_other,
            f'{other} {verbs} a trump, {one} does not': chosen & ~of_one & of_other,
            f'both {verb} trumps': chosen & of_one & of_other,
            f'neither {verbs} a trump': chosen & ~of_one & ~of_other,
        }
    return by_case('choice', {**cases, 'the field drew differently': ~is_own})


def by_auction(pairs: Pairs, divergences: Divergences) -> Grouping:
    """Group divergent hands by the agents that win the auction."""
    one, other = pairs.names[:2]
    deals, seatings = divergences.deals, divergences.seatings
    wins = []
    for which in (0, 1):
        moves, bids = pairs.moves[deals, which, seatings], np.full(len(deals), TRUMP_PLY)
        bidders = replay(CATCH5, pairs.rules, pairs.deals[deals], moves, bids)['bidder']
        wins.append(pairs.is_own[seatings, bidders])
    cases = {
        'both win it': wins[0] & wins[1],
        f'{one} wins it, {other} does not': wins[0] & ~wins[1],
        f'{other} wins it, {one} does not': ~wins[0] & wins[1],
        'neither wins it': ~wins[0] & ~wins[1],
    }
    return by_case('the auction', cases)
