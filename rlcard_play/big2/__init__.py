"""Big 2 on the server and its page."""
