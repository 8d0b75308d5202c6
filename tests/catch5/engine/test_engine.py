"""The engine of Catch Five against the oracle."""

import numpy as np
import pytest
import rlcard

from rlcard_catch5.rules import PRESETS, Rules
from tests.support import catch5_oracle as oracle

VARIANTS = {
    **PRESETS,
    'match': Rules(bidding='match', least_bid=5, low='dealt'),
    'outbid': Rules(bidding='outbid', excess='dead', nine_doubled=True),
    'mixed': Rules(dealer_served='last', following='trump', judging='last', low='dealt'),
}


def biased_deal(random, length):
    """Deal `length` cards of a suit to one hand: long suits are rare."""
    suit = random.permutation(13) + 13 * random.integers(4)
    rest = random.permutation(np.setdiff1d(np.arange(52), suit[:length]))
    deck = np.concatenate([suit[:length], rest])
    hands = deck[:36].reshape(4, 9)[random.permutation(4)]
    return int(random.integers(4)), hands.tolist(), deck[36:].tolist()


def told(rules, random, length):
    """Return a deal without chance, and the first five moves, which decide its refill."""
    dealer, hands, stock = biased_deal(random, length)
    texts = [[oracle.card_of(card) for card in hand] for hand in hands]
    beyond = {card for hand in texts for suit in oracle.SUITS for card in oracle.surplus(hand, suit)}
    redeal = random.permutation([*stock, *map(oracle.number, beyond)])[:28].tolist()
    kept = [oracle.card_of(card) for card in random.permutation(52)]
    game = oracle.Game(rules, dealer, texts, map(oracle.card_of, redeal), kept)
    moves = []
    while game.trump is None:
        legal = game.legal()
        moves.append('pass' if 'pass' in legal and random.random() < 0.6 else str(random.choice(legal)))
        if moves[-1].startswith('trump') and random.random() < 0.7:
            hand = sorted(texts[game.seat()], key=lambda card: card[1])
            longest = max(oracle.SUITS, key=lambda suit: sum(card[1] == suit for card in hand))
            moves[-1] = f'trump {longest.upper()}'
        game.play(moves[-1])
    last = (dealer + 3 + (rules.dealer_served == 'last')) % 4
    drawn = game.hands[last] | game.thrown[last] - set(texts[last])
    leftover = [card for card in kept if card in drawn and card[1] != game.trump]
    deal = {'dealer': dealer, 'hands': hands, 'stock': stock, 'redeal_stock': redeal}
    deal['leftover'] = list(map(oracle.number, leftover))
    again = oracle.Game(rules, dealer, texts, map(oracle.card_of, redeal), kept)
    again.dealt = texts
    return deal, again, moves


@pytest.mark.parametrize('name', VARIANTS)
def test_every_state_is_the_oracles(name):
    rules, random = VARIANTS[name], np.random.default_rng(3)
    env = rlcard.make('catch5', config={'game_rules': rules})
    happened = set()
    for hand in range(24):
        deal, game, moves = told(rules, random, (0, 7, 8, 9)[hand % 4])
        state, seat = env.reset(deal=deal)
        while not game.is_over():
            assert seat == game.seat()
            assert state['raw_legal_actions'] == game.legal()
            for viewer in range(4):
                seen = env.get_state(viewer)
                assert seen['obs'].tolist() == oracle.features(game, viewer) + oracle.own_features(game, viewer)
                assert set(seen['raw_obs']['current_hand'].split()) == game.hands[viewer]
                assert set(seen['raw_obs']['thrown_cards'].split()) == game.thrown[viewer]
            shown = env.get_perfect_information()
            piles = [*shown['hand_cards'], *shown['played_cards'], *shown['thrown_cards'], shown['stock']]
            assert len(set(' '.join(piles).split())) == 52
            assert env.get_payoffs().tolist() == [0] * 4
            move = moves[len(game.moves)] if len(game.moves) < 5 else str(random.choice(game.legal()))
            game.play(move)
            state, seat = env.step(move, raw_action=True)
        assert env.is_over()
        assert env.get_payoffs().tolist() == game.scores()
        assert state['raw_obs']['points'] == game.points()
        assert state['raw_obs']['trick_winners'] == [winner for winner, _ in game.won]
        happened |= {('dead', bool(game.dead)), ('stock', bool(game.stock)), ('made', min(game.scores()) >= 0)}
    assert {('stock', True), ('stock', False), ('made', True), ('made', False)} <= happened
    assert (('dead', True) in happened) == (rules.excess == 'dead')
