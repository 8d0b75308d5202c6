"""Terminal play of Catch Five: matches, replays and advice as text."""
