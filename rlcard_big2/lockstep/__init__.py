"""Games in lock step, whatever the game: arrays, random streams, compilation."""
