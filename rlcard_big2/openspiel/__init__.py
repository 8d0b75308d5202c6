"""Big 2 as a game of OpenSpiel: importing this package registers 'python_big2'."""

from rlcard_big2.openspiel.game import AgentBot, Big2Game, Big2State
from rlcard_big2.openspiel.observer import Big2Observer
from rlcard_kit.envs.openspiel import register

__all__ = ['AgentBot', 'Big2Game', 'Big2Observer', 'Big2State']

register(Big2Game)
