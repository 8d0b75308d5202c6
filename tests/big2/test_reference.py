"""Every state of the published programs' games, bit by bit.

The tests of the traces skip if BIG2_REFERENCE_DATA does not name the folder that holds them.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import rlcard

from rlcard_big2 import Rules, action_id, action_mask, charlesworth
from rlcard_kit.errors import IllegalActionError
from tests.support import oracle
from tests.support.reference_data import reference_file

FIRST_SECOND_FOURTH = 0b1011  # suits of the triple that the published program forgets
FORGOTTEN_TRIPLE = 'the triple of the 1st, 2nd and 4th suit of four of a kind'
REPLY_TO_STRAIGHT_FLUSH = 'a reply to a straight flush'


@pytest.fixture(scope='module')
def traces(request):
    with np.load(reference_file(f'{request.param}_traces.npz')) as file:
        return {key: file[key] for key in file.files}


def steps(traces, g, *keys):
    """Yield game g step by step: one row of each array, and of a ragged one the step's part."""
    for t in range(*traces['game_offsets'][g : g + 2]):
        legal = slice(*traces['legal_offsets'][t : t + 2])
        yield [traces[key][legal if key.startswith('legal') else t] for key in keys]


def reason_to_omit(mask, hand, table):
    """Tell why the published program leaves a legal move out, or return ''."""
    if mask and is_straight_flush(table):
        return REPLY_TO_STRAIGHT_FLUSH
    for rank in range(13):
        forgotten = mask >> 4 * rank & 15 == FIRST_SECOND_FOURTH and hand >> 4 * rank & 15 == 15
        if forgotten and mask.bit_count() in (3, 5):
            return FORGOTTEN_TRIPLE
    return ''


def is_straight_flush(mask):
    cards = [card for card in range(52) if mask >> card & 1]
    return len(cards) == 5 and all(card == cards[0] + 4 * i for i, card in enumerate(cards))


@pytest.mark.parametrize('traces', ['charlesworth'], indirect=True)
def test_charlesworth_traces(traces):
    env = rlcard.make('big2', config={'game_rules': 'charlesworth'})
    reasons = Counter()
    for g, deck in enumerate(traces['decks']):
        env.reset(hands=deck.reshape(4, 13))
        state, seat = env.step('3d', raw_action=True)
        for player, packed, theirs, action in steps(traces, g, 'player', 'obs412_packed', 'legal_1695', 'action_1695'):
            hand, table = env.game.players[seat].hand_mask, int(env.game.games[0]['table'])
            assert seat == player
            assert charlesworth.observation(env).tolist() == np.unpackbits(packed, count=412).tolist()
            ours = {charlesworth.to_index(action, hand): action for action in state['legal_actions']}
            omitted = {index: reason_to_omit(action_mask(action), hand, table) for index, action in ours.items()}
            assert sorted(theirs.tolist()) == sorted(index for index in ours if not omitted[index])
            assert np.flatnonzero(charlesworth.legal_mask(env)).tolist() == sorted(ours)
            assert {index: charlesworth.from_index(index, hand) for index in ours} == ours
            reasons.update(omitted.values())
            state, seat = env.step(charlesworth.from_index(int(action), hand))
        assert env.is_over()
        assert env.get_payoffs().tolist() == traces['payoffs'][g].tolist()
    assert reasons == {'': 64660, FORGOTTEN_TRIPLE: 32}  # no trace has a hand that beats a straight flush


def hkust_rules(name):
    """Read 'straights=T2A flush=rank penalty=8-10-13'; thresholds above 13 mean none."""
    settings = dict(word.split('=') for word in str(name).split())
    return replace(
        Rules.preset('hkust'),
        straights=settings['straights'],
        flush_order=settings['flush'],
        penalty_thresholds=tuple(int(count) for count in settings['penalty'].split('-') if int(count) <= 13),
    )


@pytest.mark.parametrize('traces', ['hkust'], indirect=True)
def test_hkust_traces(traces):
    keys = ('player', 'x507_packed', 'z832_packed', 'legal_masks', 'action_mask')
    rules = [hkust_rules(name) for name in traces['preset_names']]
    assert len(set(rules)) == len(set(traces['preset'].tolist())) == 20
    for g, hands in enumerate(traces['hands']):
        env = rlcard.make('big2', config={'game_rules': rules[traces['preset'][g]]})
        state, seat = env.reset(hands=[[card for card in range(52) if int(hand) >> card & 1] for hand in hands])
        for player, x507, z832, legal, action in steps(traces, g, *keys):
            assert seat == player
            assert state['obs'][:507].tolist() == np.unpackbits(x507, count=507).tolist()
            assert state['obs'][507:].tolist() == np.unpackbits(z832, count=832).tolist()
            assert {action_mask(action) for action in state['legal_actions']} == set(legal.tolist())
            state, seat = env.step(action_id(int(action)))
        assert env.is_over()
        assert env.get_payoffs().tolist() == traces['payoffs'][g].tolist()


HAND = sum(1 << card for card in (0, 1, 2, 3, 5, 9, 13, 17, 21, 40, 44, 48, 51))


def test_indices_count_places_of_the_current_hand():
    assert charlesworth.to_index(action_id(1 << 51), HAND) == 12
    assert charlesworth.to_index(action_id(1 << 51), 1 << 51 | 1) == 1
    assert charlesworth.to_index(action_id(0b11), HAND) == 13
    assert charlesworth.to_index(action_id(0b111), HAND) == 46
    assert charlesworth.to_index(action_id(0b1111), HAND) == 77
    assert charlesworth.to_index(action_id(0), HAND) == 1694
    assert charlesworth.from_index(1694, HAND) == action_id(0)


def test_every_combination_of_a_hand_has_its_index_and_the_others_are_refused():
    found = {0}
    for mask, _, _ in oracle.combinations_in(HAND):
        index = charlesworth.to_index(action_id(mask), HAND)
        assert charlesworth.from_index(index, HAND) == action_id(mask)
        found.add(index)
    refused = [(index, HAND) for index in {*range(-1, 1696)} - found - {1694}]
    for index, hand in [*refused, (12, 0b10001), (76, 0b10001)]:
        with pytest.raises(IllegalActionError, match=f'index {index} '):
            charlesworth.from_index(index, hand)
    with pytest.raises(IllegalActionError, match='0x5'):
        charlesworth.to_index(action_id(0b11), 0b101)
