"""The parts that the card games of this project share; not a part of RLCard.

A game brings its rules, engine, networks and notation. The kit brings the table at which many games are played at once,
environments for RLCard, PettingZoo, Gymnasium and OpenSpiel, agents by name and as programs, saved networks, records
and duplicate matches. It imports no game.
"""
