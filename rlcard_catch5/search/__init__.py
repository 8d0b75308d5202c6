"""Search: agents that play out moves in sampled deals of the hidden cards."""
