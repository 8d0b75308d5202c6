"""Deep Monte Carlo, for both games.

Read `examples/dmc_in_one_file.py` first: it is the whole algorithm, in one process. This package adds processes,
resumption, GPUs and clusters.

| in that file | here |
|---|---|
| `Network`: the value of each action in a state | networks of the game, by `LearnedGame.make_network` |
| `ValueAgent.choose`: the best move, and sometimes any | `dmc.opponents.ExploringAgent` |
| `play`: games in lockstep, whose payoffs are targets | `dmc.actor.Actor`, and `dmc.actor.lambda_returns` |
| `next(batches)`: decisions reach the learner | `dmc.workers.base.Workers`, with three implementations |
| `learn`: a step on the squared error | `dmc.learner.Learner` |
| `main`: the loop, then a match | `dmc.trainer.learn`, inside a `training.run.Run` |
"""
