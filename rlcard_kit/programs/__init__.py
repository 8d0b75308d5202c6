"""Agents that are programs of their own, which read and write lines of JSON (docs/own-program.md)."""
