"""The former place of `Positions` and `Decision`."""

raise ImportError('rlcard_kit.positions has moved: import Positions and Decision from rlcard_kit.agents')
