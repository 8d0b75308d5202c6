"""Train TorchRL's PPO on Big 2 by self-play, with `actions='reduced'`, until it clearly beats random agents.

    pip install torchrl 'tensordict<0.15' '.[gymnasium,pettingzoo,torch]'
    python examples/frameworks/torchrl_ppo.py

One network draws an action for all seats in each step; those that are not to move draw with masks that are all True.
"""

from shared import check_versions, learn_to_win

check_versions(__file__)

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.envs import DTypeCastTransform, MarlGroupMapType, PettingZooWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

from rlcard_big2.pettingzoo import env

torch.manual_seed(0)
seen, action = ('agents', 'observation', 'observation'), ('agents', 'action')
games = PettingZooWrapper(env(actions='reduced'), use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
games = TransformedEnv(games, DTypeCastTransform(torch.int8, torch.float32, in_keys=[seen]))
games.set_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(1339, 128), torch.nn.ReLU(), torch.nn.Linear(128, 35))
critic = torch.nn.Sequential(torch.nn.Linear(1339, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
logits, names = TensorDictModule(network, [seen], ['logits']), {'logits': 'logits', 'mask': ('agents', 'action_mask')}
actor = ProbabilisticActor(
    logits, in_keys=names, out_keys=[action], distribution_class=MaskedCategorical, return_log_prob=True
)
loss = ClipPPOLoss(actor, TensorDictModule(critic, [seen], ['state_value']), normalize_advantage=True)
loss.set_keys(action=action, sample_log_prob=('agents', 'action_log_prob'))
optimizer = torch.optim.Adam(loss.parameters(), 1e-3)


@torch.no_grad()
def play():
    """Return the decisions of a game, each with the payoff of its seat, in units of a full hand."""
    game = games.rollout(1000, actor)
    moved = game['agents', 'mask']  # [steps, 4]: one seat moves in each step
    payoffs = game['next', 'agents', 'reward'].sum(0) / 13  # [4, 1]: all come with the last step
    targets, agents = payoffs.expand(*moved.shape, 1)[moved], game['agents'][moved]
    advantages = targets - critic(agents['observation', 'observation'])
    return TensorDict({'agents': agents, 'value_target': targets, 'advantage': advantages}, [len(targets)])


def learn():
    """Play 64 games, and learn each decision four times."""
    decisions = torch.cat([play() for _ in range(64)])
    for rows in torch.cat([torch.randperm(len(decisions)) for _ in range(4)]).split(256):
        optimizer.zero_grad()
        losses = loss(decisions[rows])
        (losses['loss_objective'] + losses['loss_critic'] + losses['loss_entropy']).backward()
        optimizer.step()


learn_to_win(learn, network)
