"""Record games of Big 2 as a data set of Minari, with masks and rules of one's own; read it back, and play it again.

    pip install 'minari[create,hdf5]' '.[gymnasium]'
    python examples/frameworks/minari_dataset.py

Minari keeps the rules and the names of the opponents with the data set, in `MINARI_DATASETS_PATH` or `~/.minari`, and
makes the environment again; each game replayed there has the same observations, masks and rewards.
"""

import gymnasium
import minari
import numpy as np

import rlcard_big2

NAME, GAMES = 'big2/reduced-v0', 100
rules = rlcard_big2.Rules(players=3, hand_size=17, leftover='opener', unplayed_twos=True)
env = gymnasium.make('rlcard_big2:Big2-v0', rules=rules, opponents=['rule', 'greedy'], actions='reduced')
recorder = minari.DataCollector(env, record_infos=True)  # infos hold the masks
for seed in range(GAMES):
    _, info = recorder.reset(seed=seed)
    over = False
    while not over:
        _, _, over, _, info = recorder.step(info['action_mask'].argmax())  # the first option that is legal
if NAME in minari.list_local_datasets():
    minari.delete_dataset(NAME)
recorder.create_dataset(NAME, algorithm_name='first legal option')
recorder.close()

data = minari.load_dataset(NAME)
again = data.recover_environment()
assert again.unwrapped.sim.rules == rules
for episode in data:
    (about,) = data.storage.get_episode_metadata([episode.id])
    observation, info = again.reset(seed=int(about['seed']))
    for step, action in enumerate([*episode.actions, None]):
        assert np.array_equal(observation, episode.observations[step])
        assert np.array_equal(info['action_mask'], episode.infos['action_mask'][step])
        if action is not None:
            observation, reward, over, _, info = again.step(action)
            assert (reward, over) == (episode.rewards[step], episode.terminations[step])
    assert over
    assert sorted(again.unwrapped.names()) == ['greedy', 'learner', 'rule']
rewards = [episode.rewards[-1] for episode in data]
print(
    f'{len(rewards)} games, {data.total_steps} decisions, {data.storage.get_size():.2f} MB: the same when played again'
)
print(f'EV of the first legal option: {np.mean(rewards):+.2f}')
