"""Game study: what the puzzles and scores of all games have in common."""
