"""The version of the package, in a file of its own so that the build need not import the rest."""

__version__ = '1.0.0'
