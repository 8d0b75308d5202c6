"""Games of OpenSpiel, dealt and played at random."""

import random


def play(game, seed, moves=1000, hands=None, dealers=0, choose=None):
    """Deal, at random or given hands of card ids, and make random moves; return the state.

    Args:
        game: of OpenSpiel.
        seed: of chance and moves.
        moves: of seats, at most.
        hands: the cards of each seat, which chance deals in turn.
        dealers: chance nodes before the first card.
        choose: returns a move for a state, or None for a random one.
    """
    draws, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal() and (state.is_chance_node() or len(state.moves()) < moves):
        number = len(state.history()) - dealers
        action = choose(state) if choose else None
        if hands and 0 <= number < sum(map(len, hands)):
            action = hands[number % len(hands)][number // len(hands)]
        state.apply_action(draws.choice(state.legal_actions()) if action is None else action)
    return state
