"""Deep Monte Carlo, for both games."""
