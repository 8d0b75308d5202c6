"""Play against agents."""
