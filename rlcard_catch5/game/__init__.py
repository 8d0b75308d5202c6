"""RLCard's Dealer, Player, Round, Judger and Game: thin views on one game of the engine."""

from rlcard_catch5.game.dealer import Catch5Dealer as Dealer
from rlcard_catch5.game.game import Catch5Game as Game
from rlcard_catch5.game.judger import Catch5Judger as Judger
from rlcard_catch5.game.player import Catch5Player as Player
from rlcard_catch5.game.round import Catch5Round as Round

__all__ = ['Dealer', 'Game', 'Judger', 'Player', 'Round']
