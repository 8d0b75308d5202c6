"""The former place of `rlcard_play.big2.terminal`."""

raise ImportError('rlcard_big2.terminal has moved: import rlcard_play.big2.terminal, or rlcard_play.terminal.reports')
