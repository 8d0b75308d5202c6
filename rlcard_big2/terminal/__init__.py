"""Play in a terminal: games, replays, advice."""
