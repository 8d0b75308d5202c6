"""Records of Big 2: what is wrong is named, payoffs of hidden hands, deal codes and other forms."""

import json
from collections import Counter
from dataclasses import asdict, replace

import numpy as np
import pytest
import rlcard
from hypothesis import given, settings
from hypothesis import strategies as st

from rlcard_big2 import Rules, records
from rlcard_big2.agents.base import RandomAgent
from rlcard_big2.cards import FULL_DECK, format_cards, parse_cards
from rlcard_big2.duplicate.deals import deals_from_seed
from rlcard_big2.records import Record
from rlcard_big2.records.begin import Before
from rlcard_big2.rules import PRESETS
from rlcard_kit.errors import RecordError
from tests.kit.test_records import VALUES, check_round_trip
from tests.support.random_games import random_games

DEAL = tuple(sum(1 << 4 * rank + suit for rank in range(13)) for suit in range(4))  # seat 0 holds all diamonds
HANDS = [format_cards(hand) for hand in DEAL]
GAME = random_games(Rules(), 1, seed=5)[0]
OPENED = {'big2': 1, 'rules': 'charlesworth', 'hands': HANDS, 'moves': ['3d', '7c', 'pass', '8s']}
BEFORE = {'played': ['3d 9d', '7c', '', '8s'], 'left': [11, 12, 13, 12], 'table': '9d', 'by': 0, 'passes': 1}
REMAINING = [format_cards(hand & ~parse_cards(gone)) for hand, gone in zip(DEAL, BEFORE['played'], strict=True)]
POSITION = {'big2': 1, 'rules': 'taiwan', 'hands': [None] * 4, 'before': {**BEFORE, 'passed': [1, 3]}, 'moves': None}


def changed(**changes):
    return {**OPENED, **changes}


def before(**changes):
    return {**POSITION, 'before': {**POSITION['before'], **changes}}


WRONG = [
    (changed(rules={**asdict(Rules()), 'bombs': True, 'penalty_thresholds': []}), 'rules: bombs=True'),
    (changed(hands=HANDS[:3]), '3 hands'),
    (changed(hands='3d'), "hands is '3d'"),
    (changed(hands=[7, *HANDS[1:]]), r'hands\[0\] is 7'),
    (changed(hands=['3d', *HANDS[1:]]), 'hand 0 has 1 cards: it must have 13'),
    (changed(hands=[HANDS[1], *HANDS[1:]]), 'hand 1 holds 3c'),
    (changed(hands=['3x', *HANDS[1:]]), r"hands\[0\]: '3x'"),
    (changed(hands=[None, *HANDS[1:]]), 'opener is missing: no known hand holds 3d'),
    (changed(opener=1), 'opener is 1, whose hand lacks'),
    (changed(opener=1, hands=[HANDS[0], None, None, None]), 'opener is 1, but seat 0 holds'),
    (changed(opener=4), 'opener is 4'),
    (changed(opener=1, rules=replace(Rules(), leads='2').fields()), 'opener is 1, but seat 2 leads'),
    (changed(opener='x'), "opener is 'x'"),
    (changed(view=4), 'view is 4'),
    (changed(view=1, hands=[HANDS[0], None, None, None]), 'hand of seat 1 is unknown'),
    (changed(moves=None), "moves is null.*'before'"),
    (changed(moves=['4d']), 'move 1, 4d by seat 0, is not legal: it holds 3d 4d'),
    (changed(moves=['3d', '4d']), 'move 2, 4d by seat 1, is not legal'),
    (changed(moves=['3d', '3c 4h']), 'move 2, 3c 4h by seat 1'),
    (changed(moves=['3d', '']), r"moves\[1\] is ''"),
    (changed(moves=['3d', 'Pas']), r"moves\[1\]: 'Pas'"),
    (changed(moves=['3d', 7]), r'moves\[1\] is 7'),
    (changed(moves=['3d', 'pass', 'pass', 'pass', 'pass']), 'move 5, pass by seat 0, is not legal.*nothing to beat'),
    (changed(moves=['3d'] + ['pass'] * 500), '501 moves'),
    (changed(hands=[HANDS[0], None, None, None], moves=['3d', '4d']), 'move 2, 4d by seat 1.*not known'),
    (changed(hands=[HANDS[0], None, None, None], moves=['3d', '4c', '4c']), 'move 3, 4c by seat 2'),
    (changed(hands=[None] * 4, opener=2, moves=['3d', '4c', '4c']), 'move 3, 4c by seat 0'),
    (changed(deal=7), 'deal is 7'),
    (changed(best='4d'), "best is '4d', which is not legal"),
    (changed(best='Kx'), "best: 'Kx'"),
    (before(by=4), 'by is 4'),
    (before(passes=3), 'passes is 3'),
    (before(left=[13, 12, 13, 12]), 'seat 0 has played 2 cards and has 13 left'),
    (before(left=[11, 12, 13]), '4 entries'),
    (before(played=['3d 9d', '7c', '', '7c']), '7c was played twice'),
    (before(played=['', '', '', ''], left=[13] * 4, table=''), 'no card was played'),
    (before(table='Td'), 'table is Td, but seat 0 has not played'),
    (before(table='3d 9d'), 'not a combination under these rules'),
    (before(table=''), 'passes is 1, but the table is empty'),
    (before(table='', passes=0, by=2, passed=None), 'seat 2 is to lead, but has played no card'),
    (before(table='', passes=0, passed=[1]), 'nobody has passed'),
    (before(passed=[2]), 'passed lacks seat 1'),
    (before(passed=[1, 0]), 'it must list seats'),
    (before(passed=[0, 1]), 'seat 0 has passed, and a pass is final'),
    (before(hand='3d'), "before: 'hand' is unknown"),
    ({**POSITION, 'opener': 1}, 'needs no opener'),
    ({**POSITION, 'hands': [HANDS[0], None, None, None]}, 'hand 0 has 13 cards: it must have 11'),
    ({**POSITION, 'moves': ['4h']}, 'move 1, 4h by seat 2'),
]


@pytest.mark.parametrize(('record', 'named'), WRONG, ids=[named for _, named in WRONG])
def test_what_is_wrong_is_named(record, named):
    with pytest.raises(RecordError, match=named):
        records.parse(record)


def test_the_best_move_is_kept_at_its_position_only():
    record = records.parse({**OPENED, 'weather': {'rain': 0.5}, 'best': '9d'})
    assert record.at(4).extra == {'weather': {'rain': 0.5}, 'best': '9d'}
    assert record.at(2).extra == {'weather': {'rain': 0.5}}


def test_cards_in_any_order_and_case_are_normalised():
    loose = {**OPENED, 'hands': [' '.join(reversed(hand.upper().split())) for hand in HANDS], 'moves': ['3D', ' Pass ']}
    assert records.to_dict(records.parse(loose)) == {**OPENED, 'moves': ['3d', 'pass']}


def test_payoffs_with_hidden_hands_are_kept_if_they_may_be_right():
    hidden = records.to_dict(replace(GAME, hands=(None,) * 4, opener=GAME.first))
    assert records.parse(hidden).payoffs == GAME.payoffs
    del hidden['payoffs']
    assert records.parse(hidden).payoffs is None
    with pytest.raises(RecordError, match='they sum to 0'):
        records.parse({**hidden, 'payoffs': [-payoff for payoff in GAME.payoffs]})


WORDS = st.sampled_from(['3d', '3d 3c', 'pass', 'Td', '2s', HANDS[0], HANDS[1], 'charlesworth', 'taiwan', '', 'x'])
KEYS = st.sampled_from([*OPENED, 'before', 'opener', 'view', 'payoffs', 'seats', 'id', 'best', 'note', 'deal', 'later'])
RECORDS = [OPENED, POSITION, *map(records.to_dict, (GAME, GAME.at(30), GAME.at(9).seen_by(0)))]


@st.composite
def damaged_records(draw):
    """Take a record and change some of its moves and keys."""
    data = dict(draw(st.sampled_from(RECORDS)))
    if data['moves'] and draw(st.booleans()):
        changes = draw(st.dictionaries(st.integers(0, len(data['moves']) - 1), WORDS, max_size=3))
        data['moves'] = [changes.get(number, move) for number, move in enumerate(data['moves'])]
    return {**data, **draw(st.dictionaries(KEYS, VALUES | WORDS, max_size=3))}


@settings(max_examples=300, deadline=None)
@given(damaged_records())
def test_no_damaged_record_crashes_the_reader(data):
    check_round_trip(records, data)
    check_round_trip(records, json.dumps(data))


def test_deal_codes():
    for rules, size in (
        (Rules(), 18),
        (Rules.preset('two'), 18),
        (Rules.preset('hong-kong-3'), 18),
        (Rules(hand_size=5), 22),
    ):
        for deal in deals_from_seed(7, 100, rules).tolist():
            code = records.deal_code(deal)
            assert len(code) == size
            assert records.hands_of_code(code, rules.players) == tuple(deal)
        with pytest.raises(RecordError):
            records.hands_of_code(code, 3 if rules.players == 2 else 2)


@settings(max_examples=300, deadline=None)
@given(st.text() | st.text('AZaz09-_', min_size=18, max_size=18))
def test_no_text_crashes_the_reader_of_codes(code):
    try:
        hands = records.hands_of_code(code)
    except RecordError:
        return
    assert records.deal_code(hands) == code


@pytest.mark.parametrize('hands', [DEAL[:1], (DEAL[0],) * 4, (FULL_DECK, 0, 0, 0), (1 << 52, 1)])
def test_no_code_for_no_deal(hands):
    with pytest.raises(RecordError):
        records.deal_code(hands)


@pytest.mark.parametrize('rules', PRESETS)
def test_records_from_rlcard(rules):
    env = rlcard.make('big2', config={'seed': 3, 'game_rules': rules})
    env.set_agents([RandomAgent(seed=seat) for seat in range(env.num_players)])
    trajectories, _ = env.run()
    assert records.from_trajectories(trajectories, rules) == env.to_record()
    with pytest.raises(RecordError, match='not of one game'):
        records.from_trajectories([trajectories[0], *env.run()[0][1:]], rules)


def test_a_guess_at_hidden_hands_does_not_win_by_the_deal():
    rules = Rules(instant_wins='both', opening='any')
    cards = list(range(52))
    hands = (sum(1 << card for card in cards[:13]), None, None, None)  # seat 3 is given the highest cards
    position = Record(hands, tuple(1 << card for card in (0, 13, 26)), rules, view=0)
    assert (position.winner, position.player) == (None, 3)


SIX = Rules(players=3, hand_size=6, ranks=5, opening='any', instant_wins='twos')
SIX_DEALT = 'Js Jh Qh Qs Kh As', 'Jd Qd Kd Ad Ac 2d', 'Jc Qc Kc Ah 2c 2h'


@pytest.mark.parametrize('moves', ['Jd', 'Jd 2h pass pass'])
def test_no_hidden_hand_is_dealt_that_would_have_won_at_once(moves):
    hands, draws = tuple(map(parse_cards, SIX_DEALT)), np.random.RandomState(1)
    seen = Record(hands, tuple(0 if move == 'pass' else parse_cards(move) for move in moves.split()), SIX).seen_by(0)
    typed = Record((hands[0], None, None), (), SIX, Before((0, parse_cards('Jd'), 0), (6, 5, 6), 0, 1), view=0)
    for position in (seen, typed):
        dealt = np.array([position.start(draws)['hands'][0, :3] for _ in range(200)])
        assert (dealt[:, 1:].max(axis=1) >= parse_cards('2d')).all()
        assert not (dealt[:, 2] >> 48 == 15).any()
        assert len(np.unique(dealt, axis=0)) > 150
    at_once = [seen.at(0).start(draws)['hands'][0, :3] >> 48 == 15 for _ in range(200)]
    assert np.any(at_once)


def test_a_hidden_hand_that_must_have_won_is_refused():
    rules = Rules(players=2, hand_size=4, ranks=2, opening='any', instant_wins='twos')
    aces, twos, opened = parse_cards('Ad Ac Ah As'), parse_cards('2d 2c 2h 2s'), parse_cards('Ad')
    with pytest.raises(RecordError, match="would have won by instant_wins='twos'"):
        Record((aces, None), (opened,), rules, view=0).start(np.random.RandomState(1))
    assert Record((aces, None), (aces,), rules, view=0).start(np.random.RandomState(1))['hands'].tolist()[0][1] == twos
    assert Record((None, twos), (opened,), rules, opener=0, view=1).winner == 1


def test_a_seat_that_did_not_open_may_hide_lower_cards_only_than_another():
    """Seat 2 opened without its lowest card; seat 0 played its highest, so the cards that it hides are low too."""
    rules = Rules(players=3, hand_size=4, ranks=6, opening='any', last_card='highest')
    hands = tuple(map(parse_cards, ('Qc Qh Kc Ac', 'Jc Qd Ad 2c', 'Td Jd Kd 2d')))
    moves = ['Kd', 'Kc', 'Ad', '2d', 'pass', '2c', 'pass', 'pass', 'Jc', 'pass', 'Ac']
    game = Record(hands, tuple(0 if move == 'pass' else parse_cards(move) for move in moves), rules)
    seen, draws = game.seen_by(1), np.random.RandomState(1)
    for _ in range(50):
        assert Record(tuple(seen.start(draws)['hands'][0, :3].tolist()), game.moves, rules).first == 2


HIDING = [  # rules by which moves, or who opens, show cards that were not played
    Rules.preset('game-sofa'),
    Rules(last_card='highest', no_lone_two=True),
    Rules(last_card='highest', no_lone_two=True, places=True),
    Rules(leads='2'),
    Rules(players=3, hand_size=17, leftover='opener', leads='1'),
    Rules.preset('hong-kong-3'),
    Rules.preset('two'),
    Rules(players=3, opening='any', ranks=8, hand_size=7),
    Rules(players=3, opening='any', ranks=6, hand_size=4, last_card='highest'),
    Rules(players=3, hand_size=1, ranks=1, leftover='opener', opening='any', last_card='highest'),
]


@pytest.mark.parametrize('rules', HIDING)
def test_hidden_hands_are_dealt_such_that_all_moves_were_legal(rules):
    draws = np.random.RandomState(1)
    for game in random_games(rules, 40, seed=1):
        for seat in range(rules.players):
            seen = game.seen_by(seat)
            assert records.parse(records.to_json(seen)) == seen
            dealt = tuple(seen.start(draws)['hands'][0, : rules.players].tolist())
            assert dealt[seat] == game.hands[seat]
            assert Record(dealt, game.moves, rules).winner == game.winner


def test_a_single_before_a_player_with_one_card_shows_that_the_other_cards_are_lower():
    """Seat 1 leads the 6c before seat 2, which has one card: the other card of seat 1 is the 4d or the 5d."""
    own, led, low, high = map(parse_cards, ('3d 9s', '6c', '4d 5d', 'Kd'))
    gone, left = [card for card in range(52) if not (own | led | low | high) >> card & 1], (2, 2, 1, 1)
    played = tuple(sum(1 << gone.pop() for _ in range(13 - cards)) for cards in left)
    seen = Record((own, None, None, None), (led,), Rules(last_card='highest'), Before(played, left, 0, 1), view=0)
    draws = np.random.RandomState(1)
    deals = Counter(tuple(seen.start(draws)['hands'][0].tolist()) for _ in range(400))
    assert {hands[1] & ~led for hands in deals} == {parse_cards('4d'), parse_cards('5d')}
    assert len(deals) == 4
    assert min(deals.values()) > 70


def test_records_from_deals():
    deals = deals_from_seed(7, 13)
    games = records.from_deals(deals, 'hkust')
    assert [game.hands for game in games] == [tuple(deal) for deal in deals.tolist()]
    assert {game.rules for game in games} == {Rules.preset('hkust')}


def test_text_for_a_mail():
    record = records.parse({**OPENED, 'id': 'a"b', 'seats': [{'name': 'Ann'}, {}, {}, {}]})
    assert records.mail_text(replace(record, hands=(DEAL[0], None, None, None))) == (
        '[Id "a\\"b"]\n[Rules "charlesworth"]\n[Hand0 "3♦ 4♦ 5♦ 6♦ 7♦ 8♦ 9♦ 10♦ J♦ Q♦ K♦ A♦ 2♦"]\n'
        '[Hand1 "?"]\n[Hand2 "?"]\n[Hand3 "?"]\n[Seat0 "Ann"]\n\n1. 3♦ 7♣ pass 8♠\n'
    )
    assert '[Payoffs' in records.mail_text(GAME)


def test_a_record_of_masks_is_checked_too():
    with pytest.raises(RecordError, match='move 1 is -1'):
        Record(hands=DEAL, moves=(-1,))
