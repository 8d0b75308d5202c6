"""Game study: matches with people, advice, and reviews."""
