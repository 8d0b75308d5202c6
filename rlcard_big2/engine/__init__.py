"""The engine: numba kernels on masks of cards, over arrays of N games.

Read it in this order: `bitboard` (arithmetic on masks), `actions` (every combination and its number), `ruleset` (a
`Rules` as the tables that kernels read), `moves` (what a hand may play), `state` (deal, legal moves, play, settle),
`observation` and `texts` (what a seat sees), `batch` (the same from Python, over arrays), `big2` (all of it as a
`CardGame`). `charlesworth` stands apart: inputs and action numbers of the published PPO network.
"""
