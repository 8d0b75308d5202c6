"""Plays by a network of github.com/bluo42/big2-ai, without its search, from your checkout of that repository.

python -m eval match 'program:python examples/programs/big2_ai.py CHECKOUT wangbot_v2' big2-dmc --rules bluo42

Under other rules it chooses among the legal moves of the kinds that it knows.
"""

import os
import sys
from itertools import islice

from rlcard_big2.actions import PASS
from rlcard_big2.cards import format_card, parse_card
from rlcard_kit.programs.serve import serve


def cards(text):
    """Return the card ids of a text; they are those of the repository."""
    return [parse_card(word) for word in text.split()]


def combination(text):
    """Return a move as the repository has it, None for a pass; a kind that it does not know is its highest straight."""
    from big2.combos import Combo, ComboType, classify

    if text == PASS:
        return None
    ids = tuple(sorted(cards(text)))
    return classify(ids) or Combo(ComboType.STRAIGHT, ids, (ComboType.STRAIGHT, *divmod(ids[-1], 4)))


def game_of(question):
    """Return the game of the repository that a question describes; hidden cards are dealt in ascending order."""
    from big2.combos import classify
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
    combos = [classify(cards(text)) for text in question['actions'] if text != PASS]
    moves = sorted(filter(None, combos), key=lambda combo: (len(combo), combo.sort_key))
    game.legal_moves = lambda player: moves
    return game


def main():
    """Answer questions by the network of a name in a checkout."""
    checkout, name = sys.argv[1:]
    os.chdir(checkout)
    sys.path.insert(0, os.getcwd())
    from big2.ppo_numpy import NumpyPPOPolicy

    policy = NumpyPPOPolicy.load(f'big2/policies/{name}_np.npz')

    def choose(question):
        if len(question['actions']) == 1:
            return question['actions'][0]
        combo = policy.select(game_of(question), question['self'])
        return PASS if combo is None else ' '.join(map(format_card, combo.cards))

    serve(choose)


if __name__ == '__main__':
    main()
