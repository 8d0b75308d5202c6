"""The former place of `rlcard_play.big2`."""

raise ImportError('rlcard_big2.study has moved to rlcard_play.big2: import rlcard_play.big2.advice, for example')
