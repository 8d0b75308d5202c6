"""Record games of Big 2 as a data set of Minari, with masks and rules of one's own; read it back, and play it again.

    pip install 'minari[create,hdf5]' '.[gymnasium]'
    python examples/frameworks/minari_dataset.py

Minari keeps the rules and the names of the opponents with the data set, in `MINARI_DATASETS_PATH` or `~/.minari`, and
makes the environment again; each game replayed there has the same observations, masks and rewards.
"""

from shared import check_versions

check_versions(__file__)

import gymnasium
import minari
import numpy as np

import rlcard_big2

NAME = 'big2/reduced-v0'
rules = rlcard_big2.Rules(players=3, hand_size=17, leftover='opener', unplayed_twos=True)
env = gymnasium.make('rlcard_big2:Big2-v0', rules=rules, opponents=['rule', 'greedy'], actions='reduced')
recorder = minari.DataCollector(env, record_infos=True)  # infos hold the masks
for seed in range(100):
    _, info = recorder.reset(seed=seed)
    while info['action_mask'].any():  # until the game is over
        _, _, _, _, info = recorder.step(info['action_mask'].argmax())
if NAME in minari.list_local_datasets():
    minari.delete_dataset(NAME)
recorder.create_dataset(NAME, algorithm_name='first legal option')

data = minari.load_dataset(NAME)
again = data.recover_environment()
assert again.unwrapped.sim.rules == rules
for episode in data:
    (about,) = data.storage.get_episode_metadata([episode.id])
    seen = [again.reset(seed=int(about['seed']))]
    results = [again.step(action) for action in episode.actions]
    seen += [(observation, info) for observation, *_, info in results]
    assert np.array_equal([observation for observation, _ in seen], episode.observations)
    assert np.array_equal([info['action_mask'] for _, info in seen], episode.infos['action_mask'])
    assert [reward for _, reward, *_ in results] == episode.rewards.tolist()
    assert sorted(again.unwrapped.names()) == ['greedy', 'learner', 'rule']
ev = np.mean([episode.rewards[-1] for episode in data])
print(f'{len(data)} games of EV {ev:+.2f}, {data.storage.get_size():.1f} MB: the same when they are played again')
