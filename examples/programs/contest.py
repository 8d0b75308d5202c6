"""Plays by a file of tommyjqliu/bigtwo-zero or anurgyadv/Big2-AI-Monte-Carlo on GitHub, from your checkout.

python -m eval match 'program:python examples/programs/contest.py CHECKOUT/submission.py' rule --rules coders-for-causes

The moves are those of `coders:FILE`, without the work that does not change them. Under other rules the file chooses
among the legal moves that it knows.
"""

import sys
from functools import cache
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from rlcard_big2.actions import PASS
from rlcard_big2.agents import coders
from rlcard_kit.programs.serve import serve


def keep_network(module, is_legal):
    """Have bigtwo-zero read its network once, and list the combinations of a hand once."""
    name = next(name for name in vars(module) if name.endswith('Numpy'))
    network = getattr(module, name)(module.json.loads(module.state_dict))
    listed, texts = module.get_possible_actions, module.code_point_to_cards
    of_hand = cache(lambda hand: [(move, texts(move.code)) for move in listed(np.frombuffer(hand, bool))])
    module.state_dict = '{}'
    setattr(module, name, lambda weights: network)
    module.get_possible_actions = lambda hand: [move for move, text in of_hand(hand.tobytes()) if is_legal(text)]


def skip_search(module, is_legal):
    """Have the Monte Carlo search end at once, a second after each look at the clock: its result is not used."""
    listed = module.Algorithm.get_possible_moves
    module.time = SimpleNamespace(time=count().__next__)
    module.Algorithm.get_possible_moves = lambda *given: [move for move in listed(*given) if is_legal(move)]


def chooser(file):
    """Return a function that answers a question by a file of one of the two."""
    module, legal = coders.load(Path(file)), set()
    quicken = keep_network if hasattr(module, 'state_dict') else skip_search
    quicken(module, lambda texts: frozenset(texts) in legal)

    def choose(question):
        if len(question['actions']) == 1:
            return question['actions'][0]
        legal.clear()
        legal.update(frozenset(text.upper().split()) for text in question['actions'])
        return ' '.join(module.Algorithm().getAction(coders.match_state(question, ''))[0]) or PASS

    return choose


if __name__ == '__main__':
    serve(chooser(sys.argv[1]))
