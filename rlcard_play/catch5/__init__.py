"""Catch Five on the server and its page."""
