"""Records of Catch Five: round trips and faults."""

from dataclasses import replace

import numpy as np
import pytest
import rlcard

from rlcard_catch5 import Rules, records
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.engine.state import GAME as FIELDS
from rlcard_catch5.rules import PRESETS
from rlcard_kit.duplicate.deals import deal_from_seed
from rlcard_kit.errors import RecordError
from tests.catch5.engine.test_engine import biased_deal


def make(**config):
    return rlcard.make('catch5', config={'seed': 42, **config})


def long_suit(random):
    """Return a deal in which one hand has seven cards or more of a suit."""
    dealer, hands, _ = biased_deal(random, random.integers(7, 10))
    return {'dealer': dealer, 'hands': hands}


def longest_suit(state):
    suits = [card[1].upper() for card in state['raw_obs']['current_hand'].split()]
    return f'trump {max(suits, key=suits.count)}'


def played(env, random, moves=29):
    """Play random moves, but name the longest suit; return the environment."""
    state = env.get_state(env.get_player_id())
    while len(env.action_recorder) < moves:
        texts = state['raw_legal_actions']
        text = longest_suit(state) if texts[0].startswith('trump') else texts[random.integers(len(texts))]
        state, _ = env.step(text, raw_action=True)
    return env


def game_of(rules='paper', seed=3, moves=29):
    env = make(game_rules=rules)
    env.reset()
    return played(env, np.random.default_rng(seed), moves).to_record()


GAME = game_of()


def same_game(record, games):
    """Whether a record's game equals another in all fields but the word of its random draws."""
    names = [name for name in FIELDS.names if name != 'word']
    return all(np.array_equal(record.final()[name], games[name]) for name in names)


@pytest.mark.parametrize('rules', [*PRESETS, Rules(excess='dead', low='dealt')])
def test_games_come_back_exactly(rules, tmp_path):
    random, env, games = np.random.default_rng(5), make(game_rules=rules), []
    for number in range(40):
        env.reset(deal=long_suit(random) if number % 2 else None)
        played(env, random)
        games.append(env.to_record())
        assert same_game(games[-1], env.game.games)
        assert games[-1].payoffs == tuple(env.get_payoffs())
        assert games[-1].trace == env.action_recorder
    records.write(tmp_path / 'games', games)
    again = records.read(tmp_path / 'games')
    assert again == games
    assert all(same_game(one, two.final()) for one, two in zip(again, games, strict=True))
    assert any('leftover' in game.deal for game in games), 'no seat took the trumps left'
    for game in games:  # as records of other programs, which have no word
        named = replace(game, deal={key: value for key, value in game.deal.items() if key != 'word'})
        assert 'word' not in named.deal
        assert same_game(named, game.final())


def test_a_game_of_an_engines_deal_has_its_random_draws():
    deals = deal_from_seed(CATCH5, 3, 2)
    moves = [0, 0, 0, 1, 8]
    games = [records.from_deal(deals[i : i + 1], moves, Rules()) for i in range(2)]
    assert [len(game.deal['redeal_stock']) >= 16 for game in games] == [True, True]
    assert 'redeal_stock' not in records.from_deal(deals[:1], moves[:4], Rules()).deal
    given = deals[:1].copy()
    given['redeal'][0, :16] = games[0].deal['redeal_stock'][:16]
    assert 'word' not in records.from_deal(given, moves, Rules()).deal


@pytest.mark.parametrize('rules', PRESETS)
def test_a_deal_with_a_word_is_the_same_whatever_is_bid_and_named(rules):
    """Its refill depends on the trumps alone, also in the record of another game, and after a restart."""
    random, kept = np.random.default_rng(2), make(game_rules=rules)
    for _ in range(5):
        kept.reset(deal=long_suit(random))
        deal = played(kept, random).to_record().at(0).deal
        for trump in 'CDHS':
            hands = set()
            for seed, start in enumerate((deal, kept.to_record().at(2).deal, records.Record(deal).deal)):
                env = make(game_rules=rules, seed=seed)
                env.reset(deal=start)
                played(env, random, 4)
                env.step(f'trump {trump}', raw_action=True)
                hands.add(tuple(env.game.games['hands'][0].tolist()))
                assert env.to_record().deal['word'] == deal['word']
            assert len(hands) == 1


def test_parts_that_a_position_lacks_are_random():
    bidding = game_of(moves=4)
    assert 'redeal_stock' not in bidding.deal
    bidding = replace(bidding, deal={key: value for key, value in bidding.deal.items() if key != 'word'})
    stocks = set()
    for seed in range(8):
        env = make(seed=seed)
        env.reset(position=bidding)
        env.step('trump H', raw_action=True)
        stocks.add(tuple(env.to_record().deal['redeal_stock']))
    assert len(stocks) == 8


def put(key, value):
    return lambda data: data.__setitem__(key, value)


def deal(change):
    """Return a change of the deal."""
    return lambda data: change(data['deal'])


WRONG = [
    (lambda data: data.pop('deal'), "'deal' is missing"),
    (put('deal', []), r'deal is \[\]'),
    (deal(lambda deal: deal.pop('dealer')), 'dealer is missing'),
    (deal(put('dealer', 4)), 'dealer=4'),
    (deal(put('joker', 1)), 'joker is unknown'),
    (deal(put('word', 1)), 'deal.word is 1'),
    (deal(put('word', 'ff')), "word is 'ff': it must be 16 hexadecimal digits"),
    (deal(put('word', '0' * 16)), 'not all 0'),
    (deal(lambda deal: deal['redeal_stock'].reverse()), 'redeal_stock is not the order that the word gives'),
    (deal(lambda deal: deal['hands'].pop()), r'\[9, 9, 9\]'),
    (deal(lambda deal: deal['hands'][1].__setitem__(0, '5h')), r"deal.hands\[1\]\[0\] is '5h'"),
    (deal(lambda deal: deal['hands'].__setitem__(1, deal['hands'][0])), 'dealt once'),
    (deal(lambda deal: deal['stock'].pop()), 'stock must be the 16 cards'),
    (deal(lambda deal: deal['redeal_stock'].pop()), 'redeal_stock lacks .., which were not dealt'),
    (deal(lambda deal: (deal.pop('redeal_stock'), deal.pop('word'))), 'redeal_stock lacks .*: once trumps are named'),
    (lambda data: data['moves'].insert(0, 'bid 10'), r'moves\[0\]: bid 10'),
    (lambda data: data['moves'].__setitem__(6, 3), r'moves\[6\] is 3'),
    (lambda data: data['moves'].__setitem__(4, 'pass'), 'move 5, pass by seat ., is not legal: it holds .*; legal are'),
    (lambda data: data['moves'].__setitem__(5, data['moves'][6]), 'move 6, .. by seat ., is not legal'),
    (lambda data: data['moves'].append('5h'), 'move 30, 5h, is not legal: the game ends with move 29'),
    (put('match', 3), 'match is 3'),
]


@pytest.mark.parametrize(('change', 'named'), WRONG)
def test_what_is_wrong_is_named(change, named):
    data = records.to_dict(GAME)
    change(data)
    with pytest.raises(RecordError, match=named):
        records.parse(data)


def test_a_record_made_in_a_program_is_checked_too():
    with pytest.raises(RecordError, match='64 is not an action id'):
        replace(GAME, moves=(64,), payoffs=None)
    with pytest.raises(RecordError, match='move 4, pass by seat 3'):
        records.Record(GAME.deal, (0, 0, 0, 0))
