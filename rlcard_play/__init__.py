"""Playing the games: terminal, server, page, and study (advice, reviews, puzzles, scores).

`study`, `terminal` and `web` know no game; `big2` and `catch5` describe theirs to them.
"""
