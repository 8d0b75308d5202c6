"""The engine: numba kernels on masks of cards, over arrays of N games.

Read it in this order: `ruleset` (a `Rules` as numbers that kernels read), `state` (a game and
a deal), `refill` (throwing and filling up), `tricks` (following, winning, points), `play` (the auction, legal actions,
moves, scores), `observation` and `views` (what a seat sees), `batch` (the same over arrays), `catch5`
(all of it as a `CardGame`).
"""
