"""Parts of a run, made from its settings alone."""

import dmc.actor
import dmc.learner
import ppo.learner
import ppo.pool
import ppo.rollout
from dmc.workers.in_process import LocalLink
from training import checkpoint


def dmc_learner(config, dtype, device='cpu'):
    return dmc.learner.Learner(config, config.find_game(), dtype, device)


def ppo_learner(config, dtype, device='cpu'):
    return ppo.learner.Learner(config, config.find_game(), dtype, device)


def new_actor(config, inference, device='cpu'):
    game = config.find_game()
    return dmc.actor.Actor(config, game, 0, LocalLink(game), inference, device)


def new_rollout(config):
    return ppo.rollout.Rollout(config, config.find_game())


def new_pool(config, learner):
    return ppo.pool.Pool(config.game, config.run.seed, learner)


def new_opponents(config, network, dtype):
    return ppo.pool.Opponents(config.find_game(), config.game, network, dtype)


def save_network(folder, config, network, frames):
    """Save a network as a run of these settings does after some frames."""
    settings = checkpoint.settings_of(config, config.find_game(), frames)
    checkpoint.write_network(folder, network.state_dict(), settings)


def save_state(config, learner, counters):
    settings = checkpoint.settings_of(config, config.find_game(), counters.frames).to_json()
    checkpoint.save_state(config.run.savedir, learner, counters, {**settings, 'training': config.describe()})


def load_state(config, learner):
    settings = config.describe()
    kept = {name: settings[name] for name in config.kept_on_resume()}
    return checkpoint.load_state(config.run.savedir, config.agent, kept, learner)
