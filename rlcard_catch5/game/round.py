"""The round: whose turn it is, the trick, and the trace of moves."""

from rlcard_catch5.actions import BID_SHIFT, FIRST_CARD, FIRST_TRUMP, PASS, TEXTS
from rlcard_catch5.engine.batch import play_moves
from rlcard_catch5.engine.ruleset import RuleTables
from rlcard_catch5.engine.state import NOTHING, NUM_PLAYERS, Games
from rlcard_kit.arrays import Int64Array
from rlcard_kit.envs.round import KeptRound

PHASES = ('bid', 'trumps', 'card', 'over')


class Catch5Round(KeptRound):
    """Carries the play of one game forwards and, if states are kept, backwards, the refill included.

    Args:
        games: [1] of GAME, the game to play; the cards are already dealt.
        ruleset: the rules as the engine reads them.
        keep_states: keep every earlier state, for `step_back`.
    """

    def __init__(self, games: Games, ruleset: RuleTables, keep_states: bool) -> None:
        super().__init__(games, keep_states)
        self._ruleset = ruleset

    def _make(self, move: Int64Array) -> None:
        play_moves(self._ruleset, self._games, move)


def trace_of(games: Games) -> list[tuple[int, str]]:
    """Return the moves of a game, [1] of GAME, as (player, text): its record tells all of them."""
    game = games[0]
    trace = []
    for i in range(1, NUM_PLAYERS + 1):
        seat = (int(game['dealer']) + i) % NUM_PLAYERS
        bid = int(game['bids'][seat])
        if bid != NOTHING:
            trace.append((seat, TEXTS[bid - BID_SHIFT if bid else PASS]))
    if game['trump'] != NOTHING:
        trace.append((int(game['bidder']), TEXTS[FIRST_TRUMP + int(game['trump'])]))
    leaders = [int(game['bidder']), *game['winners'].tolist()]
    for i, card in enumerate(game['order'].tolist()):
        if card != NOTHING:
            trace.append(((leaders[i // NUM_PLAYERS] + i) % NUM_PLAYERS, TEXTS[FIRST_CARD + card]))
    return trace
