"""Terminal play of any card game: styles, entries, sessions and commands."""
