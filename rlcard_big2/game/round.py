"""The round: whose turn it is, the combination to beat, and the trace of moves."""

from rlcard_big2.cards import format_cards
from rlcard_big2.engine.batch import play_moves
from rlcard_big2.engine.ruleset import RuleTables
from rlcard_big2.engine.state import NUM_PLAYERS, Games
from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs.round import KeptRound


class Big2Round(KeptRound):
    """Carries the play of one game forwards and, if states are kept, backwards.

    Args:
        games: [1] of GAME, the game to play; the cards are already dealt.
        ruleset: the rules as the engine reads them.
        suits: the rules' order of suits, for text.
        keep_states: keep every earlier state, for `step_back`.
    """

    def __init__(self, games: Games, ruleset: RuleTables, suits: str, keep_states: bool) -> None:
        super().__init__(games, keep_states)
        self._ruleset = ruleset
        self._suits = suits

    @property
    def greater_player(self) -> int | None:
        """The seat that played the combination to beat; None with control."""
        game = self._games[0]
        return int(game['player'] - 1 - game['passes']) % NUM_PLAYERS if game['table'] else None

    @property
    def hand_to_beat(self) -> str:
        """The combination to beat as text; '' with control."""
        return format_cards(self._games['table'].item(), self._suits)

    def _make(self, move: Int64Array) -> None:
        play_moves(self._ruleset, self._games, move)
