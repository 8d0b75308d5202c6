"""RLCard's own agents, trainers and environment tests, unchanged, on 'big2'."""

import contextlib
import os
import pickle
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
import rlcard
import torch
from rlcard.agents import CFRAgent
from rlcard.agents.dmc_agent.model import DMCAgent
from rlcard.utils import tournament

from rlcard_big2.agents.base import GreedyAgent
from rlcard_big2.duplicate import play_match
from rlcard_big2.env import Big2Env
from tests.support.limits import PATIENCE


@pytest.fixture(autouse=True)
def _seeded():
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)


class EndgameEnv(Big2Env):
    """Big 2 from late in one game: greedy play from a seeded deal leads there."""

    def reset(self):
        self.seed(2)
        state, player = super().reset()
        for _ in range(57):
            state, player = self.step(GreedyAgent().step(state))
        return state, player


def count_positions(env):
    """Count the positions of an endgame by steps forwards and back."""
    actions = [] if env.is_over() else list(env._get_legal_actions())
    count = 1
    for action in actions:
        env.step(action)
        count += count_positions(env)
        env.step_back()
    return count


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(np.ndarray, 'tostring'), reason="RLCard's CFRAgent calls ndarray.tostring")
@pytest.mark.filterwarnings('ignore:tostring')
def test_cfr_agent_trains_over_an_endgame(tmp_path):
    env = EndgameEnv({'seed': 2, 'allow_step_back': True})
    env.reset()
    root = env.game.games.tobytes()
    assert count_positions(env) == 178
    assert env.game.games.tobytes() == root
    agent = CFRAgent(env, str(tmp_path))
    for _ in range(2):
        agent.train()
        assert env.game.games.tobytes() == root, 'the traversal stepped all the way back'
        assert len(env.action_recorder) == len(env.game.round.trace) == 57
    assert agent.iteration == 2
    assert any(regrets.any() for regrets in agent.regrets.values())
    assert set(agent.regrets) == set(agent.policy)
    env.set_agents([agent] * 4)
    assert sum(env.run()[1]) == 0
    agent.save()
    restored = CFRAgent(env, str(tmp_path))
    restored.load()
    assert str(restored.regrets) == str(agent.regrets)


def test_an_agent_that_rlcards_dmc_trainer_has_saved_plays_games_and_matches(tmp_path):
    env, file = rlcard.make('big2', config={'seed': 42}), tmp_path / '0_1000.pth'
    agent = DMCAgent(env.state_shape[0], env.action_shape[0], [8], device='cpu')
    torch.save(agent, file)  # as the trainer does
    with pytest.raises(pickle.UnpicklingError):
        torch.load(file)
    loaded = torch.load(file, map_location='cpu', weights_only=False)
    loaded.set_device('cpu')
    state, _ = env.reset()
    assert loaded.eval_step(state) == agent.eval_step(state)
    env.set_agents([loaded] * 4)
    assert sum(tournament(env, 1)) == pytest.approx(0)
    assert play_match(loaded, 'random', deals=2).payoffs.shape == (2, 4)


TRAIN = """
import multiprocessing, sys
import rlcard, rlcard_big2
from rlcard.agents.dmc_agent import DMCTrainer

if __name__ == '__main__':
    total_frames, load_model = int(sys.argv[1]), sys.argv[2] == 'resume'
    trainer = DMCTrainer(
        rlcard.make('big2', config={'seed': 1}),
        cuda='', load_model=load_model, xpid='big2', savedir='results', save_interval=1000, num_actors=1,
        num_threads=1, total_frames=total_frames, unroll_length=4, batch_size=2,
        num_buffers=20,  # more than one player's games fill while the other players' learners finish
    )
    trainer.start()
    for actor in multiprocessing.active_children():  # they play for ever
        actor.kill()
"""


def train(folder, *arguments):
    """Run the trainer to its end in a process group of its own."""
    script = folder / 'train.py'
    script.write_text(TRAIN)
    with (folder / 'log').open('w') as log:
        process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, 'OMP_NUM_THREADS': '1', 'CUDA_VISIBLE_DEVICES': ''},
        )
        try:
            assert process.wait(timeout=PATIENCE) == 0, (folder / 'log').read_text()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)  # which the resource tracker outlives, to clean up
            process.wait()
    return torch.load(folder / 'results' / 'big2' / 'model.tar', weights_only=False)


@pytest.mark.slow
def test_dmc_trainer_trains_resumes_and_its_agents_play(tmp_path):
    first = train(tmp_path, '60', 'new')
    assert first['frames'] >= 60
    paths = [tmp_path / 'results' / 'big2' / f'{seat}_{first["frames"]}.pth' for seat in range(4)]
    agents = [torch.load(path, weights_only=False) for path in paths]
    for agent in agents:
        agent.set_device('cpu')
    env = rlcard.make('big2', config={'seed': 42})
    env.set_agents(agents)
    assert sum(tournament(env, 2)) == pytest.approx(0)
    resumed = train(tmp_path, str(first['frames'] + 60), 'resume')
    assert resumed['frames'] >= first['frames'] + 60
    assert 'Resuming preempted job' in (tmp_path / 'log').read_text()
    for old, new in zip(first['model_state_dict'], resumed['model_state_dict'], strict=True):
        assert any(not torch.equal(new[key], old[key]) for key in old)
