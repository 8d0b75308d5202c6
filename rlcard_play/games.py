"""The games that people play, by key; the first is the default."""

from rlcard_play.big2.played import GAME as BIG2
from rlcard_play.catch5.played import GAME as CATCH5

GAMES = {game.key: game for game in (BIG2, CATCH5)}
