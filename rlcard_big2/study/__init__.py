"""Game study: advice, reviews, puzzles, scores and JSON views."""
