"""Compile the kernels that a wheel includes: `python -m rlcard_play.native all`, or `first` for a first game of Big 2.

They are those that Python calls in `USES`, optimized as for a processor of the highest level of x86-64 that this one
has, since they run here too. Where another has less, LLVM splits vectors, and the code was no slower there than what
numba makes.
"""

import os
import platform
import subprocess
import sys
from tempfile import TemporaryDirectory

import gymnasium
import numpy as np
import rlcard
from llvmlite.binding import get_host_cpu_features

import rlcard_big2.gymnasium
import rlcard_catch5
from rlcard_big2.duplicate import play_match
from rlcard_catch5.duplicate import play_match as play_catch5
from rlcard_kit.jit import CACHE_FOLDER
from rlcard_kit.released import RELEASED, release
from rlcard_kit.vector_env import VectorEnv
from rlcard_play.games import GAMES
from rlcard_play.web.advisor_thread import AdvisorThread

X86_LEVELS = {  # and the features that count; one that has them has all others of its level
    'x86-64-v4': ('avx512f', 'avx512bw', 'avx512cd', 'avx512dq', 'avx512vl'),
    'x86-64-v3': ('avx2', 'bmi', 'bmi2', 'f16c', 'fma', 'lzcnt', 'movbe'),
    'x86-64': (),
}


def processor() -> dict[str, str]:
    """Return the environment in which numba compiles for the highest of X86_LEVELS that this processor has."""
    if platform.machine() != 'x86_64':
        return {}
    features = get_host_cpu_features()
    level = next(level for level, needed in X86_LEVELS.items() if all(map(features.get, needed)))
    return {'NUMBA_CPU_NAME': level, 'NUMBA_CPU_FEATURES': ''}


def use_all() -> None:
    """Use what people begin with."""
    use_first()
    thread = AdvisorThread(GAMES)
    thread.warm_up()
    for game, agents in thread.games.items():
        state, _ = rlcard.make(game, config={'seed': 0}).reset()
        agents.played.look(agents.look_advisors[0], state, None)
    for env in (rlcard_big2.VectorEnv(2, seed=0), rlcard_catch5.VectorEnv(2, seed=0)):
        step(env)
    play_match('rule', 'random', deals=2)
    play_catch5('rule', 'random', deals=2)
    table = gymnasium.make('Big2-v0', opponents='greedy')
    table.step(table.reset(seed=0)[1]['action_mask'].argmax())


def use_first() -> None:
    """Play a game as README.md does."""
    env = rlcard.make('big2', config={'seed': 7, 'game_rules': 'hong-kong'})
    env.set_agents([rlcard_big2.make_agent('big2-dmc', 'hong-kong') for _ in range(4)])
    env.run()
    str(env)


def step(env: VectorEnv) -> None:
    """Make the first legal move of each game."""
    positions = env.positions()
    env.step(positions.moves[positions.offsets[:-1]], env.new_payoffs(), np.empty(env.num_games, np.bool_))


def write(name: str) -> None:
    """Write the kernels of one of USES."""
    USES[name]()
    release(CACHE_FOLDER)


USES = {'all': use_all, 'first': use_first}

if __name__ == '__main__':
    RELEASED.unlink(missing_ok=True)
    for _ in range(2):  # the second time, kernels that only others call stay out
        with TemporaryDirectory() as folder:
            environment = {**os.environ, **processor(), 'NUMBA_CACHE_DIR': folder}
            code = 'import sys; from rlcard_play.native import write; write(sys.argv[1])'
            subprocess.run([sys.executable, '-c', code, sys.argv[1]], env=environment, check=True)
