"""Those who play for a learner elsewhere: watched, replaced when they die, placed on the nodes of a cluster."""
