"""The dealer: hands at random, or as asked for."""

from collections.abc import Iterable, Sequence

import numpy as np

from rlcard_big2.cards import NUM_CARDS, format_card
from rlcard_big2.engine.state import HAND_SIZE, NUM_PLAYERS
from rlcard_kit.arrays import Int64Array
from rlcard_kit.deck import join_hands


class Big2Dealer:
    """Shuffles the deck and deals thirteen cards to each seat."""

    def __init__(self, np_random: np.random.RandomState) -> None:
        self.np_random = np_random
        self.deck = np.arange(NUM_CARDS)  # card ids

    def shuffle(self) -> None:
        """Shuffle the deck."""
        self.np_random.shuffle(self.deck)

    def deal_cards(self) -> Int64Array:
        """Return the deck's hands as masks, int64 [4]: each seat takes thirteen cards in turn."""
        return np.bitwise_or.reduce(np.int64(1) << self.deck.reshape(NUM_PLAYERS, HAND_SIZE), axis=1)


def check_hands(hands: Sequence[Iterable[int]]) -> Int64Array:
    """Return four hands of card ids as masks, int64 [4]; HandsError says what keeps them from being a deal."""
    return np.array(join_hands(hands, HAND_SIZE, NUM_PLAYERS, format_card))
