"""Plays by a network of github.com/dylan940126/Big2-AIs, MLP or CNN, from your checkout of that repository.

python -m eval match 'program:python examples/programs/big2_ais.py CHECKOUT MLP' big2-dmc

It has been trained without flushes and three of a kind; it chooses among all legal moves.
"""

import sys
from types import SimpleNamespace

import numpy as np
import torch

from rlcard_big2.actions import PASS
from rlcard_big2.cards import parse_card
from rlcard_kit.programs.serve import serve


def cards(text):
    """Return the card ids of a text, int64 [K]; they are those of the repository."""
    return np.array([parse_card(word) for word in text.split() if word != PASS], np.int64)


def main():
    """Answer questions by the network of a name in a checkout."""
    checkout, name = sys.argv[1:]
    torch.set_num_threads(1)
    sys.path.insert(0, checkout)
    from agents import CNNAgent, MLPAgent
    from game.cards import CardPlay

    agent = {'CNN': CNNAgent, 'MLP': MLPAgent}[name](f'{checkout}/{name}_agent_best.pt', 'cpu')

    def choose(question):
        plays = {text: CardPlay(cards(text)) for text in question['actions']}
        if len(plays) == 1:
            return next(iter(plays))
        history = [CardPlay(cards(text)) for _, text in question['trace']]
        hand = SimpleNamespace(handcards=cards(question['current_hand']))
        chosen = agent.step(0, history, hand, list(plays.values()))  # the seat that opened is not used
        agent.reset()
        return next(text for text, play in plays.items() if play is chosen)

    serve(choose)


if __name__ == '__main__':
    main()
