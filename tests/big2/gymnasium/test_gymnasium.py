"""Big 2 in Gymnasium: its own checks, agreement with `Big2Env`, seats and opponents, and what is refused."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import rlcard
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode

from rlcard_big2 import Rules, make_agent
from rlcard_big2.agents.base import BatchAgent
from rlcard_big2.agents.greedy import GreedyAgent
from rlcard_big2.cards import format_cards
from rlcard_big2.charlesworth import from_index
from rlcard_big2.models import WEIGHTS
from rlcard_big2.render.pixels import flatten
from rlcard_kit.errors import ConfigError, GameOverError, IllegalActionError, KitError, OpponentError, RulesError
from rlcard_kit.registry import AgentNameError

PRESETS = ('charlesworth', 'hkust', 'hong-kong', 'taiwan')
VIEWS = ('slots', 'scored', 'reduced')


def make(**settings: Any) -> Any:
    return gymnasium.make('Big2-v0', **{'opponents': 'greedy', **settings}).unwrapped


def make_vec(count: int, **settings: Any) -> Any:
    return gymnasium.make_vec('Big2-v0', num_envs=count, vectorization_mode='vector_entry_point', **settings)


def play_out(env: Any, seed: int | None, draws: np.random.Generator) -> tuple[list[int], float]:
    """Play legal actions at random; return them and the payoff."""
    env.reset(seed=seed)
    actions, over = [], False
    while not over:
        actions.append(int(draws.choice(np.flatnonzero(env.action_masks()))))
        _, reward, over, _, _ = env.step(actions[-1])
        assert over or reward == 0
    return actions, reward


def run(code: str) -> str:
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_the_package_imports_neither_gymnasium_nor_torch_and_registers_when_gymnasium_comes() -> None:
    code = """
import sys, rlcard_big2, rlcard_catch5
assert not {'gymnasium', 'torch'} & set(sys.modules)
import gymnasium
assert gymnasium.spec('Big2-v0').entry_point == 'rlcard_big2.gymnasium:Big2SeatEnv'
assert gymnasium.spec('Catch5-v0').entry_point == 'rlcard_catch5.gymnasium:Catch5SeatEnv'
assert 'rlcard_big2.gymnasium' not in sys.modules
"""
    run(code)


@pytest.mark.parametrize('name', ['Big2-v0', 'rlcard_big2:Big2-v0'])
def test_gymnasium_may_come_first(name: str) -> None:
    own = 'import rlcard_big2; ' * (name == 'Big2-v0')
    run(f"import gymnasium; {own}gymnasium.make({name!r}, opponents='random').reset(seed=1)")


def test_without_gymnasium_the_import_names_the_extra() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import rlcard_big2.gymnasium"
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False)
    assert "needs Gymnasium: pip install 'rlcard-big2[gymnasium]'" in result.stderr


@pytest.mark.parametrize('actions', VIEWS)
@pytest.mark.parametrize('rules', PRESETS)
def test_gymnasiums_check_passes_without_warnings(actions: str, rules: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        check_env(make(actions=actions, rules=rules, opponents='random', illegal='end'))


@pytest.mark.parametrize('rules', PRESETS)
def test_a_game_agrees_with_rlcards_environment(rules: str) -> None:
    env = make(rules=rules, opponents=['rule', 'greedy', 'rule'], seat=2)
    reference = rlcard.make('big2', config={'seed': 0, 'game_rules': rules})
    others = {3: make_agent('rule', rules), 0: make_agent('greedy', rules), 1: make_agent('rule', rules)}
    seen, info = env.reset(seed=11)
    hands = env.sim.games['hands'][0] | env.sim.games['played'][0]
    cards = [[card for card in range(52) if hand >> card & 1] for hand in hands.tolist()]
    state, player = reference.reset(hands=cards)
    over = False
    while not over:
        while player != 2:
            state, player = reference.step(others[player].eval_step(state)[0])
        hand = int(env.sim.games['hands'][0, 2])
        legal = {from_index(index, hand): index for index in np.flatnonzero(info['action_mask']).tolist()}
        assert np.array_equal(seen, state['obs'])
        assert sorted(legal) == list(state['legal_actions'])
        action = list(legal)[-1 if reference.timestep % 3 else 0]
        seen, reward, over, truncated, info = env.step(legal[action])
        assert not truncated
        state, player = reference.step(action)
    while not reference.is_over():
        state, player = reference.step(others[player].eval_step(state)[0])
    assert reward == reference.get_payoffs()[2] != 0
    suits = Rules.preset(rules).suits
    made = [format_cards(mask, suits) or 'pass' for mask in env.sim.moves_of(0)]
    assert made == [text for _, text in reference.action_recorder]
    assert not info['action_mask'].any()


@pytest.mark.parametrize('actions', VIEWS)
def test_the_vector_environment_agrees_with_single_ones(actions: str) -> None:
    settings = {'actions': actions, 'rules': 'taiwan', 'pool': ['random', 'greedy', 'rule'], 'seat': 'random'}
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        many = make_vec(5, **settings)
        single = gymnasium.make_vec(
            'Big2-v0', 5, 'sync', vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP}, **settings
        )
    assert many.metadata['autoreset_mode'] == AutoresetMode.SAME_STEP
    assert many.observation_space == single.observation_space
    assert many.action_space == single.action_space
    (seen, info), expected = many.reset(seed=40), single.reset(seed=40)
    assert data_equivalence((seen, info), expected, exact=True)
    draws, ended = np.random.default_rng(1), 0
    for _ in range(60):
        assert seen in many.observation_space
        chosen = np.array([draws.choice(np.flatnonzero(mask)) for mask in info['action_mask']])
        (seen, *rest, info), (their_seen, *their_rest, their_info) = many.step(chosen), single.step(chosen)
        assert data_equivalence(seen, their_seen, exact=True)
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(rest, their_rest, strict=True))
        assert data_equivalence(info, their_info, exact=True)
        assert np.array_equal(many.action_masks(), info['action_mask'])
        ended += int(rest[1].sum())
    assert ended >= 5


def test_a_seed_fixes_deals_seats_and_opponents() -> None:
    settings = {'pool': ['random', 'greedy'], 'seat': 'random'}
    env, again = make(opponents=None, **settings), make(opponents=None, **settings)
    for seed in (5, None, None):
        games = [play_out(one, seed, np.random.default_rng(2)) for one in (env, again)]
        assert games[0] == games[1]
        assert env.names() == again.names()
        assert env.sim.moves_of(0) == again.sim.moves_of(0)
    env.reset()
    again.reset(seed=6)
    assert not np.array_equal(env.sim.games, again.sim.games)


@pytest.mark.parametrize(('seat', 'seats'), [(1, [1, 1, 1, 1, 1]), ('rotate', [0, 1, 2, 3, 0])])
def test_the_learner_sits_where_it_should(seat: int | str, seats: list[int]) -> None:
    env = make(seat=seat)
    found = [env.reset(seed=None if i else 9)[1]['seat'] for i in range(5)]
    assert found == seats
    assert env.sim.seats[0] == env.sim.game.current_player(env.sim.games)[0]


def test_seats_at_random_are_all_taken() -> None:
    env = make(seat='random')
    assert {env.reset(seed=seed)[1]['seat'] for seed in range(30)} == {0, 1, 2, 3}


def test_three_opponents_sit_in_the_order_of_play() -> None:
    env = make(opponents=['rule', 'random', 'greedy'], seat=3)
    env.reset(seed=1)
    assert env.names() == ['rule', 'random', 'greedy', 'learner']


def test_a_pool_is_drawn_from_with_each_deal_as_often_as_an_agent_is_listed() -> None:
    env = make(opponents=None, pool=['random', 'greedy', 'greedy'], seat=0)
    names = [name for i in range(100) for name in (env.reset(seed=None if i else 1), env.names()[1:])[1]]
    assert 0.55 < names.count('greedy') / len(names) < 0.78
    assert len({tuple(names[i : i + 3]) for i in range(0, 300, 3)}) == 8


class StateAgent:
    """An agent of RLCard's protocol that notes what it is shown, and plays its last legal action."""

    use_raw = True

    def __init__(self) -> None:
        self.seats: list[int] = []

    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        self.seats.append(state['raw_obs']['self'])
        assert len(state['action_record']) == sum(len(moves) > 0 for moves in state['raw_obs']['trace'])
        return state['raw_legal_actions'][-1], {}


def test_agents_of_either_protocol_can_be_given_as_objects() -> None:
    shown = StateAgent()
    env = make(opponents=[GreedyAgent(), shown, 'random'], seat=1)
    for seed in range(5):
        play_out(env, seed, np.random.default_rng(3))
    assert set(shown.seats) == {3}
    assert env.names() == ['random', 'learner', 'GreedyAgent', 'StateAgent']


@pytest.mark.parametrize(
    ('settings', 'error', 'text'),
    [
        ({'opponents': 'gredy'}, AgentNameError, "did you mean 'greedy'"),
        ({'opponents': ['rule', 'rule']}, ConfigError, 'expected one agent, or 3 in the order of play'),
        ({'opponents': 7}, ConfigError, "7 is not an opponent: expected an agent's name"),
        ({'pool': ['rule']}, ConfigError, 'opponents or a pool'),
        ({'opponents': None, 'pool': []}, ConfigError, 'at least one agent'),
        ({'seat': 4}, ConfigError, 'seat=4: expected a whole number, from 0 to 3'),
        ({'seat': 'north'}, ConfigError, "seat='north': expected 0 to 3, 'rotate' or 'random'"),
        ({'rules': 'poker'}, RulesError, 'poker'),
        ({'actions': 'all'}, ConfigError, "'slots', 'scored', 'reduced'"),
        ({'most_moves': 8}, ConfigError, "most_moves=8 is for actions='scored'"),
        ({'actions': 'scored', 'most_moves': 1}, ConfigError, 'most_moves=1: expected a whole number, from 2 to 1695'),
        ({'illegal': 'pass'}, ConfigError, "illegal='pass': expected 'raise' or 'end'"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], error: type[KitError], text: str) -> None:
    with pytest.raises(error, match=text):
        make(**settings)
    with pytest.raises(error, match=text):
        make_vec(2, **{'opponents': 'greedy', **settings})


def test_a_masked_action_is_explained_and_changes_nothing() -> None:
    env = make(seat=0)
    env.reset(seed=3)
    before = env.sim.games.copy()
    wrong = int(np.flatnonzero(~env.action_masks())[0])
    with pytest.raises(
        IllegalActionError, match=rf'action {wrong} is not legal: \d+ (is|are) legal, \d+ \(.*action_masks\(\)'
    ):
        env.step(wrong)
    for action, text in ((-1, 'does not exist, they run from 0 to 1694'), (0.5, 'a whole number'), ('3d', 'a whole')):
        with pytest.raises(IllegalActionError, match=text):
            env.step(action)
    assert np.array_equal(env.sim.games, before)
    assert env.step(np.flatnonzero(env.action_masks())[0])[1] == 0


def test_a_masked_action_in_one_of_many_games_plays_in_none() -> None:
    envs = make_vec(4, opponents='random')
    envs.reset(seed=1)
    before, chosen = envs.sim.games.copy(), envs.action_masks().argmax(axis=1)
    chosen[2] = np.flatnonzero(~envs.action_masks()[2])[-1]
    with pytest.raises(IllegalActionError, match=f'in game 2 action {chosen[2]} is not legal'):
        envs.step(chosen)
    with pytest.raises(IllegalActionError, match='expected 4 whole numbers'):
        envs.step(chosen[:3])
    assert np.array_equal(envs.sim.games, before)


def test_illegal_actions_can_end_their_games() -> None:
    env, envs = make(illegal='end'), make_vec(4, opponents='random', illegal='end')
    env.reset(seed=1)
    _, reward, over, _, info = env.step(1694 if not env.action_masks()[1694] else 1693)
    assert (reward, over, info['action_mask'].any()) == (-13, True, False)
    with pytest.raises(GameOverError, match='call reset'):
        env.step(0)
    env.reset()
    assert env.action_masks().any()
    envs.reset(seed=1)
    chosen = envs.action_masks().argmax(axis=1)
    chosen[2] = np.flatnonzero(~envs.action_masks()[2])[-1]
    _, rewards, over, _, infos = envs.step(chosen)
    assert (rewards.tolist(), over.tolist()) == ([0, 0, -13, 0], [False, False, True, False])
    assert infos['_final_obs'].tolist() == over.tolist()
    assert infos['action_mask'].any(axis=1).all()


def test_steps_before_a_reset_and_after_the_end_are_refused() -> None:
    env = make()
    with pytest.raises(GameOverError, match='call reset'):
        env.step(0)
    play_out(env, 1, np.random.default_rng(1))
    with pytest.raises(GameOverError, match='call reset'):
        env.step(0)
    with pytest.raises(ConfigError, match="unknown options 'hands'"):
        env.reset(options={'hands': []})


class BrokenAgent(BatchAgent):
    """Fails at its first decision."""

    def choose(self, positions: Any, random: Any) -> Any:
        raise RuntimeError('out of cheese')


def test_an_opponent_that_fails_is_named() -> None:
    env = make(opponents=['greedy', BrokenAgent(), 'greedy'], seat=0)
    with pytest.raises(OpponentError, match='BrokenAgent failed in seat 2 of game 0: RuntimeError: out of cheese'):
        play_out(env, 1, np.random.default_rng(1))


def test_an_opponent_trained_on_other_rules_is_noted() -> None:
    agent = f'dmc:{WEIGHTS / "dmc"},numpy'
    with pytest.warns(UserWarning, match='it knows charlesworth'):
        make(opponents=agent, rules='hong-kong')


def test_render_shows_everyone() -> None:
    env = make(render_mode='ansi', opponents=['rule', 'random', 'greedy'], seat=0)
    env.reset(seed=2)
    text = env.render()
    assert '> learner' in text
    assert all(name in text for name in ('rule', 'random', 'greedy', 'table'))
    play_out(env, 2, np.random.default_rng(1))
    assert 'payoffs' in env.render()
    with pytest.raises(ConfigError, match=r"'human'.*'ansi'"):
        type(env)(opponents='random', render_mode='human')


def test_a_picture_shows_the_cards_of_the_table() -> None:
    env = make(render_mode='rgb_array', opponents='greedy', seat=0)
    env.reset(seed=2)
    before = env.render()
    assert (before.shape, before.dtype) == ((344, 640, 3), np.uint8)
    env.step(np.flatnonzero(env.action_masks())[0])
    after = env.render()
    changed = np.flatnonzero((before != after).any(axis=(1, 2)))
    assert changed.min() < 54  # the learner's row
    assert changed.max() > 270  # the last moves
    assert {(27, 95, 193), (192, 23, 43)} <= {tuple(pixel) for pixel in before.reshape(-1, 3).tolist()}  # red and blue
    assert make(opponents='greedy').render() is None


def test_outlines_are_flattened_as_svg_draws_them() -> None:
    assert flatten('M10 0L18 10V20H2Z') == [(10, 0), (18, 10), (18, 20), (2, 20)]
    half = np.array(flatten('M0 5A5 5 0 0 1 10 5'))  # clockwise on a screen: over the top
    assert np.allclose(np.hypot(half[1:, 0] - 5, half[1:, 1] - 5), 5)
    assert half[:, 1].min() == pytest.approx(0)
    under = np.array(flatten('M0 5A5 5 0 0 0 10 5'))
    assert under[:, 1].max() == pytest.approx(10)
    most = np.array(flatten('M5 0A5 5 0 1 1 0 5'))  # three quarters
    assert np.allclose(np.hypot(most[1:, 0] - 5, most[1:, 1] - 5), 5)
    assert flatten('M0 0C0 4 4 4 4 0')[6] == pytest.approx((2, 3))
