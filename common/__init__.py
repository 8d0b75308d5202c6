"""Code that the trainers and the evaluation share and that knows no game."""
