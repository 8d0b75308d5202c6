"""The commands of `python -m eval`."""
