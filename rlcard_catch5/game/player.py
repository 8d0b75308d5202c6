"""A player: the cards in hand, played and thrown."""

from rlcard_catch5.cards import format_cards
from rlcard_catch5.engine.state import Games


class Catch5Player:
    """Views one seat of a game; cards are text, ascending.

    Args:
        player_id: the seat, 0..3.
        games: [1] of GAME, the game that the seat belongs to.
    """

    def __init__(self, player_id: int, games: Games) -> None:
        self.player_id = player_id
        self._games = games

    @property
    def current_hand(self) -> str:
        """The cards in hand."""
        return self._text('hands')

    @property
    def played_cards(self) -> str:
        """The cards played."""
        return self._text('played')

    @property
    def thrown_cards(self) -> str:
        """What was given up at the refill."""
        return self._text('thrown')

    def _text(self, field: str) -> str:
        return format_cards(int(self._games[field][0, self.player_id]))
