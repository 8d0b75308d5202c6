"""Proximal policy optimisation, for both games."""
