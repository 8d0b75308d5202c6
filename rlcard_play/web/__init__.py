"""Play in a browser: a server that alone knows the cards, and its page."""
