"""Golden games: a game of each preset of both games, step by step, in tests/golden.

`python -m tests.kit.test_golden` writes them anew, after a change that is meant to change them: read the difference.
"""

from hashlib import sha256
from pathlib import Path

import numpy as np

from rlcard_big2 import charlesworth
from tests.support.games import EACH_PRESET, RULES, make

FOLDER = Path(__file__).parents[1] / 'golden'


def short(array):
    return sha256(np.ascontiguousarray(array, '<i8').tobytes()).hexdigest()[:12]


def views(env, rules):
    """Return the inputs and legal indices of the published PPO network, for its own rules."""
    if rules != 'charlesworth':
        return ''
    legal, hand = np.flatnonzero(charlesworth.legal_mask(env)), int(env.game.games['hands'][0, env.get_player_id()])
    for index in legal.tolist():
        assert charlesworth.to_index(charlesworth.from_index(index, hand), hand) == index
    return f' {short(charlesworth.observation(env))} {short(legal)}'


def render(game, rules):
    """Return a seeded game as text, the action in the middle of the list each time."""
    env = make(game, seed=17, game_rules=rules)
    state, seat = env.reset()
    lines = [str(env), '', 'ply seat observation  legal ids          move']
    while not env.is_over():
        ids, texts = list(state['legal_actions']), state['raw_legal_actions']
        move = texts[len(texts) // 2]
        ply = len(env.action_recorder)
        lines.append(f'{ply:3} {seat:4} {short(state["obs"])} {len(ids):5} {short(ids)} {move}{views(env, rules)}')
        state, seat = env.step(move, raw_action=True)
    seen = ' '.join(short(env.get_state(seat)['obs']) for seat in range(env.num_players))
    return '\n'.join([*lines, '', str(env), f'last observations {seen}', f'payoffs {env.get_payoffs().tolist()}', ''])


@EACH_PRESET
def test_the_golden_game_is_played_again(game, rules):
    assert render(game, rules) == (FOLDER / f'{game.name}-{rules}.txt').read_text()


if __name__ == '__main__':
    for each in RULES:
        (FOLDER / f'{each[0].name}-{each[1]}.txt').write_text(render(*each))
