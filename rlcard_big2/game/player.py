"""A player: the cards in hand and the cards played."""

from rlcard_big2.cards import format_cards
from rlcard_big2.engine.state import Games


class Big2Player:
    """Views one seat of a game.

    Args:
        player_id: the seat, 0..3.
        games: [1] of GAME, the game that the seat belongs to.
        suits: the rules' order of suits, for text.
    """

    def __init__(self, player_id: int, games: Games, suits: str) -> None:
        self.player_id = player_id
        self._games = games
        self._suits = suits

    @property
    def hand_mask(self) -> int:
        """The mask of the cards in hand."""
        return int(self._games['hands'][0, self.player_id])

    @property
    def played_mask(self) -> int:
        """The mask of the cards played."""
        return int(self._games['played'][0, self.player_id])

    @property
    def current_hand(self) -> str:
        """The cards in hand as text, ascending; '' once they are all played."""
        return format_cards(self.hand_mask, self._suits)

    @property
    def played_cards(self) -> str:
        """The cards played as text, ascending; '' before the first."""
        return format_cards(self.played_mask, self._suits)
