"""Vectorised games of Catch Five."""

from rlcard_catch5.actions import NUM_ACTIONS, TEXTS
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.rules import RulesLike
from rlcard_kit import vector_env


class VectorEnv(vector_env.VectorEnv):
    """Steps N games of Catch Five at once; a game that ends is dealt again. Moves are action ids.

    Args:
        num_games: N, at most `rlcard_kit.vector_env.MOST_GAMES`.
        rules: a `Rules`, or a text as `rlcard_catch5.rules.find_rules` reads it.
        seed: of all deals, a whole number; None takes one from the operating system.
    """

    def __init__(self, num_games: int, rules: RulesLike = 'paper', seed: int | None = None) -> None:
        super().__init__(CATCH5, rules, vector_env.deal_streams(num_games, seed))

    def _describe(self, move: int) -> str:
        return TEXTS[move] if 0 <= move < NUM_ACTIONS else f'{move}, which is not an action id,'
