"""N games in lock step, for trainers and evaluators."""

import numpy as np
from numpy.typing import NDArray

from rlcard_big2.cards import FULL_DECK, format_cards
from rlcard_big2.engine.batch import (
    deal_games,
    find_illegal,
    list_legal,
    observe_games,
    play_moves,
    settle_games,
)
from rlcard_big2.engine.moves import MAX_LEGAL
from rlcard_big2.engine.observation import PACKED_SIZE
from rlcard_big2.engine.ruleset import ruleset
from rlcard_big2.engine.state import NUM_PLAYERS, new_games
from rlcard_big2.errors import ConfigError, IllegalActionError
from rlcard_big2.lockstep.arrays import Int64Array
from rlcard_big2.lockstep.random import new_streams
from rlcard_big2.rules import Rules


class VectorEnv:
    """Steps N games at once; a game that ends is dealt anew.

    Every method writes into arrays of the caller's, which `new_observations` and its siblings allocate.
    Games are independent: game i of a seed is the same however many games run beside it.

    Args:
        num_games: N.
        rules: a preset's name or a `Rules`.
        seed: of all deals; None takes one from the operating system.
    """

    def __init__(self, num_games: int, rules: str | Rules = 'charlesworth', seed: int | None = None) -> None:
        if num_games < 1:
            raise ConfigError(f'num_games={num_games!r}: at least one game is needed')
        self.num_games = num_games
        self.rules = Rules.preset(rules) if isinstance(rules, str) else rules
        self.games = new_games(num_games)  # [N] of engine.state.GAME
        self._ruleset = ruleset(self.rules)
        self.streams = new_streams(seed, num_games)  # of the deals, uint64 [N]; with `games`, all that changes
        self.reset()

    @property
    def players(self) -> Int64Array:
        """The seat to move in each game, int64 [N]; a view."""
        return self.games['player']

    def reset(self) -> None:
        """Deal all games anew."""
        deal_games(self.games, np.arange(self.num_games), self.streams)

    def new_observations(self) -> Int64Array:
        """Allocate packed observations, int64 [N, 27]."""
        return np.empty((self.num_games, PACKED_SIZE), np.int64)

    def new_legal(self) -> tuple[Int64Array, Int64Array]:
        """Allocate legal moves, int64 [N * 1695], and their offsets, int64 [N + 1]."""
        return np.empty(self.num_games * MAX_LEGAL, np.int64), np.empty(self.num_games + 1, np.int64)

    def new_payoffs(self) -> Int64Array:
        """Allocate payoffs, int64 [N, 4]."""
        return np.empty((self.num_games, NUM_PLAYERS), np.int64)

    def observe(self, out: Int64Array) -> None:
        """Write what each seat to move sees into `out`, packed, int64 [N, 27]."""
        observe_games(self.games, self.games['player'].copy(), out)

    def legal(self, masks: Int64Array, offsets: Int64Array) -> int:
        """Write the legal moves of all games, game i's to masks[offsets[i]:offsets[i + 1]]; return their number."""
        return list_legal(self._ruleset, self.games, masks, offsets)

    def step(self, moves: Int64Array, payoffs: Int64Array, done: NDArray[np.bool_], check: bool = True) -> None:
        """Make one move in each game, and deal the games anew that it ends.

        Args:
            moves: masks, int64 [N], 0 for a pass. IllegalActionError names the first game whose move is not
                legal, and nothing is played.
            payoffs: int64 [N, 4], receives the payoffs of the games that ended, zeros for the others.
            done: bool [N], receives which games ended.
            check: False leaves the check out, for moves that `legal` listed.
        """
        if check:
            self._check(moves)
        play_moves(self._ruleset, self.games, moves)
        settle_games(self._ruleset, self.games, payoffs)
        np.greater_equal(self.games['winner'], 0, out=done)
        ended = np.flatnonzero(done)
        if ended.size:
            deal_games(self.games, ended, self.streams)

    def _check(self, moves: Int64Array) -> None:
        if np.shape(moves) != (self.num_games,):
            raise IllegalActionError(f'moves must be masks, int64 [{self.num_games}], not {np.shape(moves)}')
        game = find_illegal(self._ruleset, self.games, moves)
        if game >= 0:
            move = self._describe(int(moves[game]))
            raise IllegalActionError(f'in game {game} {move} is not legal for player {self.players[game]}')

    def _describe(self, mask: int) -> str:
        if not 0 <= mask <= FULL_DECK:
            return f'{mask}, which is no mask of cards,'
        return format_cards(mask, self.rules.suits) or 'a pass'
