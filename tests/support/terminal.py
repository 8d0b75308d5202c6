"""Terminals for tests: a scripted one."""


class Terminal:
    """A scripted terminal: `read` returns its lines one by one, then raises EOFError."""

    def __init__(self, *entries):
        self.entries = list(entries)
        self.shown = []

    def read(self, prompt):
        self.shown.append(prompt)
        if not self.entries:
            raise EOFError
        return self.entries.pop(0)

    def write(self, text):
        self.shown.append(text)
