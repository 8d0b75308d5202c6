"""The round: whose turn it is, the combination to beat, and the trace of moves."""

from rlcard_big2.cards import format_cards
from rlcard_big2.engine.batch import play_moves
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import NUM_PLAYERS, Games
from rlcard_big2.lockstep.arrays import Int64Array


class Big2Round:
    """Carries the play of one game forwards and, if states are kept, backwards.

    Args:
        games: [1] of GAME, the game to play; the cards are already dealt.
        ruleset: the rules as the engine reads them.
        suits: the rules' order of suits, for text.
        keep_states: keep every earlier state, for `step_back`.
    """

    def __init__(self, games: Games, ruleset: RuleTables, suits: str, keep_states: bool) -> None:
        self.trace: list[tuple[int, str]] = []  # (player, text of the action)
        self._games = games
        self._ruleset = ruleset
        self._suits = suits
        self._keep_states = keep_states
        self._earlier: list[Games] = []

    @property
    def current_player(self) -> int:
        """The seat to move."""
        return int(self._games['player'].item())

    @property
    def greater_player(self) -> int | None:
        """The seat that played the combination to beat; None with control."""
        game = self._games[0]
        return int(game['player'] - 1 - game['passes']) % NUM_PLAYERS if game['table'] else None

    @property
    def hand_to_beat(self) -> str:
        """The combination to beat as text; '' with control."""
        return format_cards(self._games['table'].item(), self._suits)

    def proceed_round(self, move: Int64Array, action: str) -> None:
        """Make a legal move: the mask of its cards, int64 [1], and `action` its text for the trace."""
        if self._keep_states:
            self._earlier.append(self._games.copy())
        self.trace.append((self.current_player, action))
        play_moves(self._ruleset, self._games, move)

    def step_back(self) -> bool:
        """Undo the last move; False if there is none."""
        if not self._earlier:
            return False
        self._games[:] = self._earlier.pop()
        self.trace.pop()
        return True
