"""Terminal play: games, replays, advice and scores as text."""
