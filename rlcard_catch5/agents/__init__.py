"""Agents, all in RLCard's protocol: `step(state)` and `eval_step(state)`."""
