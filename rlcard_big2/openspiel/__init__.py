"""Big 2 as a game of OpenSpiel: importing this package registers 'python_big2'."""

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ImportError("this game needs OpenSpiel: pip install '.[openspiel]'") from error

from rlcard_big2.openspiel.bot import AgentBot
from rlcard_big2.openspiel.game import GAME_TYPE, Big2Game, Big2State
from rlcard_big2.openspiel.observer import Big2Observer

__all__ = ['GAME_TYPE', 'AgentBot', 'Big2Game', 'Big2Observer', 'Big2State']

if GAME_TYPE.short_name not in pyspiel.registered_names():
    pyspiel.register_game(GAME_TYPE, Big2Game)
