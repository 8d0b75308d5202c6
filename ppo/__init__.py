"""Proximal policy optimisation for Big 2."""
