"""Plays by a network of github.com/bluo42/big2-ai, without its search, from your checkout of that repository.

python -m eval match 'program:python examples/programs/big2_ai.py CHECKOUT wangbot_v2' big2-dmc --rules bluo42
"""

import json
import os
import sys
from itertools import islice

from rlcard_big2.cards import format_card, parse_card


def cards(text):
    """Return the card ids of a text; they are those of the repository."""
    return [parse_card(word) for word in text.split()]


def combination(text):
    """Return a move as the repository has it; None for a pass."""
    from big2.combos import classify

    return None if text == 'pass' else classify(tuple(cards(text)))


def game_of(question):
    """Return the game of the repository that a question describes; hidden cards are dealt in ascending order."""
    from big2.game import Big2Game, PlayRecord

    game, hidden = Big2Game(), iter(cards(question['others_hand']))
    own = {question['self']: cards(question['current_hand'])}
    game.hands = [own.get(seat) or list(islice(hidden, left)) for seat, left in enumerate(question['num_cards_left'])]
    for seat, text in question['trace']:
        combo = combination(text)
        game.turn = seat
        game.history.append(PlayRecord(seat, combo))
        if combo is None:
            game.passed[seat] = True
        else:
            game.played_cards.extend(combo.cards)
            game.table_combo, game.table_player, game.first_play = combo, seat, False
            game.passed = [False] * 4
        game._advance_turn()
    game.turn = question['self']
    return game


def main():
    """Answer questions by the network of a name in a checkout."""
    checkout, name = sys.argv[1:]
    os.chdir(checkout)
    sys.path.insert(0, checkout)
    from big2.ppo_numpy import NumpyPPOPolicy

    policy = NumpyPPOPolicy.load(f'big2/policies/{name}_np.npz')
    for line in sys.stdin:
        message = json.loads(line)
        if 'actions' in message:
            combo = policy.select(game_of(message), message['self'])
            move = 'pass' if combo is None else ' '.join(map(format_card, combo.cards))
            print(json.dumps({'move': move}), flush=True)


if __name__ == '__main__':
    main()
