"""The engine: numba kernels on masks of cards, over arrays of N games.

Read it in this order: `bitboard` (arithmetic on masks), `actions` (every combination and its number),
`ruleset` (a `Rules` as the tables that kernels read), `moves` (what is legal), `state` (deal, play,
settle), `observation` (what a seat sees), `playout` (games of random moves).
"""
