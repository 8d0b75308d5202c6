"""Vectorised games of Big 2."""

from rlcard_big2.cards import FULL_DECK, format_cards
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import RulesLike
from rlcard_kit import vector_env
from rlcard_kit.vector_env import MOST_GAMES

__all__ = ['MOST_GAMES', 'VectorEnv']


class VectorEnv(vector_env.VectorEnv):
    """Steps N games of Big 2 at once; a game that ends is dealt again. Moves are masks, 0 for a pass.

    Every method writes into the caller's arrays, which `new_observations` and its siblings allocate; ArrayError if one
    does not fit, before anything changes. Game i of a seed is the same for any number of games.

    Args:
        num_games: N, at most `MOST_GAMES`.
        rules: a `Rules`, or a text as `rlcard_big2.rules.find_rules` reads it.
        seed: of all deals, a whole number; None takes one from the operating system.
    """

    def __init__(self, num_games: int, rules: RulesLike = 'charlesworth', seed: int | None = None) -> None:
        super().__init__(BIG2, rules, vector_env.deal_streams(num_games, seed))

    def _describe(self, move: int) -> str:
        if not 0 <= move <= FULL_DECK:
            return f'{move}, which is not a mask of cards,'
        return format_cards(move, self.rules.suits) or 'a pass'
