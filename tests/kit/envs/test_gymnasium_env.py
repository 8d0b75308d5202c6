"""Gymnasium environments of every game: Gymnasium's own checks, seats and opponents, and bad input."""

import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import StickyAction

from rlcard_big2.charlesworth import from_index
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_kit.agents import RandomAgent
from rlcard_kit.envs.callers import warn_once
from rlcard_kit.errors import ConfigError, GameOverError, IllegalActionError, KitError, OpponentError, RulesError
from rlcard_kit.registry import AgentNameError
from tests.support.callers import caller_in
from tests.support.games import BIG2, CATCH5, EACH_GAME, GAMES, GameFacts
from tests.support.games import make as rlcard_env

VIEWS = {'big2': [{'actions': name} for name in ('slots', 'scored', 'reduced', 'compact')], 'catch5': [{}]}
EACH_VIEW = [(game, view) for game in GAMES for view in VIEWS[game.name]]
BY_NAME = {'ids': lambda value: getattr(value, 'name', str(value))}
Settings = dict[str, Any]


def make(game: GameFacts, **settings: Any) -> Any:
    return gymnasium.make(f'{game.title}-v0', **{'opponents': 'rule', **settings}).unwrapped


def make_vec(game: GameFacts, count: int, mode: str = 'vector_entry_point', **settings: Any) -> Any:
    return gymnasium.make_vec(f'{game.title}-v0', count, mode, **settings)


def play_out(env: Any, seed: int | None, draws: np.random.Generator) -> tuple[list[int], float]:
    """Play legal actions at random; return them and the payoff."""
    env.reset(seed=seed)
    actions, over = [], False
    while not over:
        actions.append(int(draws.choice(np.flatnonzero(env.action_masks()))))
        _, reward, over, truncated, _ = env.step(actions[-1])
        assert not truncated
        assert over or reward == 0
    return actions, reward


def run(code: str) -> list[str]:
    """Run code; return what it wrote to standard error, but for notes on compilation."""
    written = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False).stderr
    return [line for line in written.splitlines() if not line.startswith('rlcard_kit: compil')]


def test_games_are_registered_whichever_is_imported_first():
    calls = [f'gymnasium.make("{{}}{game.title}-v0", opponents="random").reset(seed=1)' for game in GAMES]
    code = f'import sys, {", ".join(game.package for game in GAMES)}; '
    code += 'assert not {"gymnasium", "torch"} & set(sys.modules); import gymnasium; '
    for game in GAMES:
        module = f'{game.package}.gymnasium'
        code += f'assert gymnasium.spec("{game.title}-v0").entry_point == "{module}:{game.title}SeatEnv"; '
        code += f'assert {module!r} not in sys.modules; '
    assert not run(code + '; '.join(call.format('') for call in calls))
    named = [call.format(f'{game.package}:') for call, game in zip(calls, GAMES, strict=True)]
    assert not run('import gymnasium; ' + '; '.join(named))


@pytest.mark.parametrize(
    ('game', 'view', 'rules'),
    [(game, view, rules) for game, view in EACH_VIEW for rules in game.presets],
    **BY_NAME,
)
def test_gymnasiums_check_passes_without_warnings(game: GameFacts, view: Settings, rules: str) -> None:
    if view.get('actions') == 'slots' and not game.module('rules').PRESETS[rules].is_usual_size:
        with pytest.raises(RulesError, match=r"'slots', unlike the other sets, .*players=4"):
            make(game, rules=rules, **view)
        return
    warn_once.cache_clear()
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        check_env(make(game, rules=rules, opponents='random', illegal='end', **view))


@pytest.mark.parametrize(('game', 'view'), EACH_VIEW, **BY_NAME)
def test_the_vector_environment_agrees_with_single_ones(game: GameFacts, view: Settings) -> None:
    settings = {**view, 'rules': game.presets[1], 'pool': ['random', 'rule'], 'seat': 'random'}
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        many = make_vec(game, 5, **settings)
        single = make_vec(game, 5, 'sync', vector_kwargs={'autoreset_mode': AutoresetMode.SAME_STEP}, **settings)
    assert many.metadata['autoreset_mode'] == many.autoreset_mode == AutoresetMode.SAME_STEP
    assert many.observation_space == single.observation_space
    assert many.action_space == single.action_space
    (seen, info), expected = many.reset(seed=40), single.reset(seed=40)
    assert data_equivalence((seen, info), expected, exact=True)
    draws, ended = np.random.default_rng(1), 0
    for _ in range(60):
        assert seen in many.observation_space
        chosen = np.array([draws.choice(np.flatnonzero(mask)) for mask in info['action_mask']])
        (seen, *rest, info), (their_seen, *their_rest, their_info) = many.step(chosen), single.step(chosen)
        assert data_equivalence((seen, info), (their_seen, their_info), exact=True)
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(rest, their_rest, strict=True))
        assert np.array_equal(many.action_masks(), info['action_mask'])
        ended += int(rest[1].sum())
    assert ended >= 5


SHORT = {  # opponents often win before the learner's first turn
    'mini': Rules.preset('mini'),
    'one card': Rules(hand_size=1, opening='any'),
    'four 2s': Rules(players=2, hand_size=6, ranks=3, opening='any', instant_wins='twos'),
}


@pytest.mark.parametrize('actions', [view['actions'] for view in VIEWS['big2'] if view['actions'] != 'slots'])
@pytest.mark.parametrize('rules', SHORT.values(), ids=SHORT)
def test_games_that_end_before_the_learners_first_turn_are_dealt_again(rules: Rules, actions: str) -> None:
    settings = {'opponents': 'rule', 'rules': rules, 'actions': actions}
    env, envs = make(BIG2, **settings), make_vec(BIG2, 4, **settings)
    info, (_, infos), draws = env.reset(seed=3)[1], envs.reset(seed=3), np.random.default_rng(1)
    skipped, deals = [], []
    for _ in range(200):
        skipped.append(info['skipped'])
        deals.append(env.sim._deals[0])
        assert all((env.sim.game.current_player(sim.games) == sim.seats).all() for sim in (env.sim, envs.sim))
        assert info['action_mask'].any()
        assert infos['action_mask'].any(axis=1).all()
        infos = envs.step([draws.choice(np.flatnonzero(mask)) for mask in infos['action_mask']])[4]
        info = env.reset()[1]
    assert np.diff(deals, prepend=0).tolist() == [1 + count for count in skipped]
    assert sum(skipped) > 0


def test_a_seat_that_never_moves_is_named() -> None:
    rules = Rules(players=2, hand_size=1, ranks=3, opening='any', leads='0')
    with pytest.raises(ConfigError, match='seat=1: 1000 games'):
        make(BIG2, rules=rules, actions='reduced', seat=1).reset(seed=1)


@EACH_GAME
def test_a_seed_fixes_deals_seats_and_opponents(game: GameFacts) -> None:
    settings = {'opponents': None, 'pool': ['random', 'rule'], 'seat': 'random'}
    env, again = make(game, **settings), make(game, **settings)
    for seed in (5, None, None):
        games = [play_out(one, seed, np.random.default_rng(2)) for one in (env, again)]
        assert games[0] == games[1]
        assert env.names() == again.names()
        assert env.sim.table.moves_of(0) == again.sim.table.moves_of(0)
    env.reset()
    again.reset(seed=6)
    assert not np.array_equal(env.sim.games, again.sim.games)


@pytest.mark.parametrize(('game', 'view'), EACH_VIEW, **BY_NAME)
def test_a_spec_in_json_makes_the_same_environment(game: GameFacts, view: Settings) -> None:
    rules = game.module('rules').Rules(**game.own_rules)
    settings = {'rules': rules, 'opponents': ['random', 'rule', 'random'], 'seat': 'random', **view}
    env = gymnasium.make(f'{game.package}:{game.title}-v0', **settings)
    again = gymnasium.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.sim.rules == rules
    assert data_equivalence(env.reset(seed=3), again.reset(seed=3), exact=True)  # and with it the masks
    games = [play_out(one.unwrapped, 4, np.random.default_rng(2)) for one in (env, again)]
    assert games[0] == games[1]
    names = [(one.unwrapped.reset(seed=4), one.unwrapped.names())[1] for one in (env, again)]
    assert names[0] == names[1]
    assert sorted(names[0]) == ['learner', 'random', 'random', 'rule']
    passed = gymnasium.make(f'{game.title}-v0', opponents=game.module().make_agent('rule'))
    with pytest.raises(TypeError, match='RuleAgent'):
        passed.spec.to_json()


@EACH_GAME
def test_seats_and_their_opponents(game: GameFacts) -> None:
    first, other = 'random', {'big2': 'greedy', 'catch5': 'suit'}[game.name]
    for seat, seats in ((1, [1, 1, 1, 1, 1]), ('rotate', [0, 1, 2, 3, 0])):
        env = make(game, seat=seat)
        assert [env.reset(seed=None if i else 9)[1]['seat'] for i in range(5)] == seats
        assert env.sim.seats[0] == env.sim.game.current_player(env.sim.games)[0]
    env = make(game, seat='random')
    assert {env.reset(seed=seed)[1]['seat'] for seed in range(30)} == {0, 1, 2, 3}
    env = make(game, opponents=['rule', first, other], seat=3)
    env.reset(seed=1)
    assert env.names() == ['rule', first, other, 'learner']
    env = make(game, opponents=None, pool=[first, other, other], seat=0)
    names = [name for i in range(100) for name in (env.reset(seed=None if i else 1), env.names()[1:])[1]]
    assert 0.55 < names.count(other) / len(names) < 0.78
    assert len({tuple(names[i : i + 3]) for i in range(0, 300, 3)}) == 8


class StateAgent:
    """An agent of RLCard's protocol that notes its seats, and plays its last legal action."""

    use_raw = True

    def __init__(self) -> None:
        self.seats: list[int] = []

    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        self.seats.append(state['raw_obs']['self'])
        assert len(state['action_record']) == len(state['raw_obs']['trace'])
        return state['raw_legal_actions'][-1], {}


@EACH_GAME
def test_agents_of_either_protocol_can_be_given_as_objects(game: GameFacts) -> None:
    shown, batch = StateAgent(), game.module().make_agent('rule')
    env = make(game, opponents=[batch, shown, 'random'], seat=1)
    for seed in range(5):
        play_out(env, seed, np.random.default_rng(3))
    assert set(shown.seats) == {3}
    assert env.names() == ['random', 'learner', type(batch).__name__, 'StateAgent']


class Other(RandomAgent):
    default_rules = 'whist'

    def __repr__(self) -> str:
        return 'Other()'


BAD_SETTINGS = [
    ({'opponents': 'rul'}, AgentNameError, "'rule'"), ({'opponents': ['rule', 'rule']}, ConfigError, '3'),
    ({'opponents': 7}, ConfigError, '7'), ({'pool': ['rule']}, ConfigError, 'pool'),
    ({'opponents': None, 'pool': []}, ConfigError, 'at least one'), ({'seat': 4}, ConfigError, 'seat=4'),
    ({'seat': -1}, ConfigError, 'seat=-1'), ({'seat': 'north'}, ConfigError, "seat='north'"),
    ({'rules': 'poker'}, RulesError, 'poker'), ({'rules': {'players': 3}}, RulesError, 'is missing'),
    ({'rules': 3}, ConfigError, 'rules=3'), ({'illegal': 'pass'}, ConfigError, "illegal='pass'"),
    ({'opponents': ['rule', None, 'rule']}, ConfigError, 'None'),
    ({'opponents': Other()}, ConfigError, 'it is of another game'),
]  # fmt: skip
BIG2_SETTINGS = [
    ({'actions': 'all'}, ConfigError, "'slots', 'scored', 'reduced', 'compact'"),
    ({'most_moves': 8}, ConfigError, 'most_moves=8'),
    ({'actions': 'scored', 'most_moves': 1}, ConfigError, 'most_moves=1:'),
]
BAD = [(game, *case) for game in GAMES for case in BAD_SETTINGS + BIG2_SETTINGS * (game is BIG2)]


@pytest.mark.parametrize(('game', 'settings', 'error', 'named'), BAD, **BY_NAME)
def test_bad_settings_are_named(game: GameFacts, settings: Settings, error: type[KitError], named: str) -> None:
    with pytest.raises(error, match=named):
        make(game, **settings)
    with pytest.raises(error, match=named):
        make_vec(game, 2, **{'opponents': 'rule', **settings})


@EACH_GAME
def test_an_illegal_action_is_named_and_changes_nothing(game: GameFacts) -> None:
    env = make(game, seat=0)
    env.reset(seed=3)
    before = env.sim.games.copy()
    wrong = int(np.flatnonzero(~env.action_masks())[0])
    for action, named in ((wrong, f'action {wrong} '), (-1, str(env.action_space.n - 1)), (0.5, '0.5'), ('3d', '3d')):
        with pytest.raises(IllegalActionError, match=named):
            env.step(action)
    assert np.array_equal(env.sim.games, before)
    assert env.step(np.flatnonzero(env.action_masks())[0])[1] == 0


def one_wrong(envs: Any) -> np.ndarray:
    """Return an action for each of four games; the third is illegal."""
    chosen = envs.action_masks().argmax(axis=1)
    chosen[2] = np.flatnonzero(~envs.action_masks()[2])[-1]
    return chosen


@EACH_GAME
def test_an_illegal_action_in_one_of_many_games_plays_in_none(game: GameFacts) -> None:
    envs = make_vec(game, 4, opponents='random')
    envs.reset(seed=1)
    before, chosen = envs.sim.games.copy(), one_wrong(envs)
    with pytest.raises(IllegalActionError, match=f'game 2 action {chosen[2]} '):
        envs.step(chosen)
    with pytest.raises(IllegalActionError, match='4'):
        envs.step(chosen[:3])
    assert np.array_equal(envs.sim.games, before)


@EACH_GAME
@pytest.mark.filterwarnings("ignore:illegal='end'")
def test_illegal_actions_can_end_their_games(game: GameFacts) -> None:
    env, envs = make(game, illegal='end'), make_vec(game, 4, opponents='random', illegal='end')
    env.reset(seed=1)
    _, reward, over, _, info = env.step(np.flatnonzero(~env.action_masks())[-1])
    assert (reward, over, info['action_mask'].any()) == (game.illegal_reward, True, False)
    with pytest.raises(GameOverError):
        env.step(0)
    env.reset()
    assert env.action_masks().any()
    envs.reset(seed=1)
    _, rewards, over, _, infos = envs.step(one_wrong(envs))
    assert (rewards.tolist(), over.tolist()) == ([0, 0, game.illegal_reward, 0], [False, False, True, False])
    assert infos['_final_obs'].tolist() == over.tolist()
    assert infos['action_mask'].any(axis=1).all()


@EACH_GAME
@pytest.mark.parametrize('count', [1, 4])
def test_the_first_end_by_an_illegal_action_warns_but_not_in_a_check(game: GameFacts, count: int) -> None:
    warn_once.cache_clear()
    envs = make_vec(game, count, opponents='random', illegal='end')

    def end(call: Any) -> list[str]:
        envs.reset(seed=1)
        wrong = [np.flatnonzero(~mask)[-1] for mask in envs.action_masks()]
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter('always')
            assert call(envs.step, wrong)[1].tolist() == [game.illegal_reward] * count
        return [str(warning.message) for warning in shown]

    assert end(caller_in('stable_baselines3.common.env_checker')) == []
    (text,) = end(caller_in('stable_baselines3.common.evaluation'))
    assert all(word in text for word in ('sb3_contrib.common.maskable.evaluation', "info['action_mask']", 'play_match'))
    assert end(caller_in('stable_baselines3.common.evaluation')) == []


@EACH_GAME
def test_a_wrapper_that_repeats_actions_is_named(game: GameFacts) -> None:
    warn_once.cache_clear()
    named = "Gymnasium's StickyAction or RepeatAction around this environment"
    for illegal, raised in (
        ('raise', pytest.raises(IllegalActionError, match=named)),
        ('end', pytest.warns(UserWarning, match=named)),
    ):
        env = StickyAction(make(game, seat=0, illegal=illegal), 0.999)
        with raised:
            for seed in range(20):
                env.reset(seed=seed)
                while env.unwrapped.action_masks().any():
                    env.step(np.flatnonzero(env.unwrapped.action_masks())[0])


@EACH_GAME
def test_steps_before_a_reset_and_after_the_end_are_refused(game: GameFacts) -> None:
    env = make(game)
    for _ in range(2):
        with pytest.raises(GameOverError):
            env.step(0)
        play_out(env, 1, np.random.default_rng(1))
    with pytest.raises(ConfigError, match="'hands'"):
        env.reset(options={'hands': []})


class BrokenAgent(StateAgent):
    def eval_step(self, state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        raise RuntimeError('out of cheese')


@EACH_GAME
def test_an_opponent_that_fails_is_named(game: GameFacts) -> None:
    env = make(game, opponents=['random', BrokenAgent(), 'random'], seat=0)
    with pytest.raises(OpponentError, match=r'BrokenAgent .*seat 2 of game 0.*RuntimeError: out of cheese'):
        play_out(env, 1, np.random.default_rng(1))
    several = 'games 1 to 7' if game is BIG2 else 'games 0 to 6'  # those in which it moves first
    with pytest.raises(OpponentError, match=f'BrokenAgent failed in {several}: '):
        make_vec(game, 8, opponents=BrokenAgent(), seat=0).reset(seed=1)


@EACH_GAME
def test_render_shows_everyone(game: GameFacts) -> None:
    env = make(game, render_mode='ansi', seat=0)
    env.reset(seed=2)
    hands = env.shown().get_perfect_information()['hand_cards']
    text = env.render()
    assert all(card in text for hand in hands for card in hand.split())
    assert game is CATCH5 or all(name in text for name in env.names())
    play_out(env, 2, np.random.default_rng(1))
    assert env.render() != text
    assert make(game).render() is None
    with pytest.raises(ConfigError, match=r"'human'.*'ansi'"):
        type(env)(opponents='random', render_mode='human')


@pytest.mark.parametrize(
    ('game', 'rules', 'seats'),
    [*((BIG2, rules, [2]) for rules in FOUR_PLAYERS), (CATCH5, 'paper', [0, 1, 2, 3])],
    **BY_NAME,
)
def test_a_seat_sees_what_rlcards_environment_shows(game, rules, seats):
    env = make(game, opponents=['rule', 'random', 'random'], rules=rules, seat='rotate' if len(seats) > 1 else seats[0])
    shown, draws, rewards = rlcard_env(game, game_rules=rules), np.random.default_rng(2), []
    for seat in seats:
        seen, info = env.reset(seed=None if rewards else 5)
        over = False
        while not over:
            shown.show(env.sim.games, env.sim.table.moves_of(0))
            state, legal = shown.get_state(seat), np.flatnonzero(info['action_mask']).tolist()
            assert shown.get_player_id() == info['seat'] == seat
            assert np.array_equal(seen, state['obs'])
            hand = int(env.sim.games['hands'][0, seat])
            actions = sorted(from_index(index, hand) for index in legal) if game is BIG2 else legal
            assert actions == list(state['legal_actions'])
            seen, reward, over, _, info = env.step(draws.choice(legal))
            assert over or reward == 0
        shown.show(env.sim.games, env.sim.table.moves_of(0))
        assert reward == shown.get_payoffs()[seat]
        assert game is CATCH5 or reward == shown.to_record().payoffs[seat]  # it replays all moves from the deal
        assert not info['action_mask'].any()
        rewards.append(reward)
    assert any(rewards)
