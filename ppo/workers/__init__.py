"""Who plays the rollouts: this process, or actors on a cluster."""
