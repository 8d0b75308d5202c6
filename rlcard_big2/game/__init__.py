"""RLCard's Dealer, Player, Round, Judger and Game: thin views on one game of the engine."""

from rlcard_big2.game.dealer import Big2Dealer as Dealer
from rlcard_big2.game.game import Big2Game as Game
from rlcard_big2.game.judger import Big2Judger as Judger
from rlcard_big2.game.player import Big2Player as Player
from rlcard_big2.game.round import Big2Round as Round

__all__ = ['Dealer', 'Game', 'Judger', 'Player', 'Round']
