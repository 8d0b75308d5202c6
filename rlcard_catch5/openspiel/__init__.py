"""Catch Five as a game of OpenSpiel: importing this package registers 'python_catch5'."""

from rlcard_catch5.openspiel.game import AgentBot, Catch5Game, Catch5State
from rlcard_catch5.openspiel.observer import Catch5Observer
from rlcard_kit.envs.openspiel import register

__all__ = ['AgentBot', 'Catch5Game', 'Catch5Observer', 'Catch5State']

register(Catch5Game)
