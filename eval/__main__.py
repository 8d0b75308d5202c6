"""Commands of the evaluation."""
