"""Play against agents, with advice, and look at games that were played: in a terminal."""
