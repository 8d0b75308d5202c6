"""Code that the commands of evaluation and training share and that knows no game: flags, child processes, clusters."""
