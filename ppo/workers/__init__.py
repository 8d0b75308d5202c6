"""Workers of PPO, which play rollouts: this process, or actors on a Ray cluster."""
