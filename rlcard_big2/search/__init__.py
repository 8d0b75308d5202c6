"""Search: sampled hidden hands, games played on from there, and what they say about moves."""
