"""Deep Monte Carlo training for Big 2."""
