"""Search: determinizations of the hidden cards, rollouts, and estimates of moves."""
