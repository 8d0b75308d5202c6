"""N games of Big 2 in lock step."""

from rlcard_big2.cards import FULL_DECK, format_cards
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.errors import IllegalActionError, check_whole
from rlcard_big2.lockstep.arrays import BoolArray, Int64Array
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.lockstep.vector import LockstepEnv
from rlcard_big2.rules import Rules

MOST_GAMES = 1 << 20  # whose legal moves take 14 GB


class VectorEnv(LockstepEnv):
    """Steps N games of Big 2 at once; a game that ends is dealt anew.

    Every method writes into arrays of the caller's, which `new_observations` and its siblings allocate. One that does
    not fit raises ArrayError, before anything changes.
    Games are independent: game i of a seed is the same however many games run beside it.

    Args:
        num_games: N, at most `MOST_GAMES`.
        rules: a `Rules`, or a text as `rlcard_big2.rules.find_rules` reads it.
        seed: of all deals, a whole number; None takes one from the operating system.
    """

    def __init__(self, num_games: int, rules: str | Rules = 'charlesworth', seed: int | None = None) -> None:
        check_whole('num_games', num_games, 1, MOST_GAMES)
        if seed is not None:
            check_whole('seed', seed, 0)
        super().__init__(BIG2, rules, new_streams(seed, int(num_games)))

    def step(self, moves: Int64Array, payoffs: Int64Array, done: BoolArray, check: bool = True) -> None:
        """Make one move in each game, and deal the games anew that it ends.

        Args:
            moves: masks, int64 [N], 0 for a pass.
            payoffs: int64 [N, 4], receives the payoffs of the games that ended, zeros for the others.
            done: bool [N], receives which games ended.
            check: False leaves out the check that the moves are legal, for moves that `legal` listed.

        Raises:
            ArrayError: if an array does not fit; nothing is played.
            IllegalActionError: naming the first game whose move is not legal; nothing is played.
        """
        self._check_arrays(moves, payoffs, done)
        if check:
            self._check_moves(moves)
        self._play(moves, payoffs, done)

    def _check_moves(self, moves: Int64Array) -> None:
        game = self.game.find_illegal(self._table, self.games, moves)
        if game >= 0:
            move = self._describe(int(moves[game]))
            raise IllegalActionError(f'in game {game} {move} is not legal for player {self.players[game]}')

    def _describe(self, mask: int) -> str:
        if not 0 <= mask <= FULL_DECK:
            return f'{mask}, which is not a mask of cards,'
        return format_cards(mask, self.rules.suits) or 'a pass'
