"""Proximal policy optimisation, for both games.

Read `examples/ppo_in_one_file.py` first: it is the whole algorithm, in one process, for one seat. This package learns
from all seats at once, and adds earlier selves as opponents, resumption, GPUs and clusters.

| in that file | here |
|---|---|
| `Network`: log-probabilities of actions, and the value | networks of the game, by `LearnedGame.make_network` |
| `Run.play`: decisions in each of many games | `ppo.rollout.Rollout`, which samples by `ppo.policy.Sampler` |
| `Run.advantages`: generalised advantage estimation | `ppo.buffer.write_advantages` |
| `Run.loss`: clipped ratio, value error and entropy | `ppo.learner.losses` |
| `Run.learn`: epochs of minibatches | `ppo.learner.Learner` |
| `Run.train`: the loop | `ppo.trainer.learn`, inside a `training.run.Run` |
"""
