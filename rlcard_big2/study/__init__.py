"""Look at games: advice, reviews, analysis, puzzles, score."""
