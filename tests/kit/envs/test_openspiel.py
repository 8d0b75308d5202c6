"""Games of OpenSpiel: its own checks, the same games as in RLCard, who sees what, and bots."""

import unittest
import warnings

import numpy as np
import pytest

from tests.support.games import BIG2, CATCH5, EACH_GAME, GAMES, RULES, make, other

pyspiel = pytest.importorskip('pyspiel', reason='open_spiel is not installed')
from open_spiel.python.observation import make_observation  # noqa: E402  # it needs pyspiel

from rlcard_big2.action_sets.options import OPTIONS  # noqa: E402
from rlcard_big2.rules import Rules  # noqa: E402
from rlcard_kit.envs.callers import warn_once  # noqa: E402
from rlcard_kit.envs.openspiel import card_bits  # noqa: E402
from rlcard_kit.errors import ConfigError, IllegalActionError, RulesError  # noqa: E402
from tests.support.callers import caller_in  # noqa: E402
from tests.support.openspiel_games import play  # noqa: E402

for registered in GAMES:
    registered.module('openspiel')
PLACES = Rules(places=True)
LONG = [list(range(9)), list(range(13, 22)), list(range(26, 35)), list(range(39, 48))]  # nine cards of a suit each


def load(game, **params):
    return pyspiel.load_game(f'python_{game.name}', params)


def deal_of(game, state):
    """Return the arguments of `reset` by which RLCard deals as chance did in a game that is over."""
    if game is BIG2:
        return {'hands': [np.flatnonzero(card_bits(state.dealt_hand(seat))) for seat in range(state.num_players())]}
    orders = {'redeal_stock': state.games['redeal'][0].tolist(), 'leftover': state.games['leftover'][0].tolist()}
    return {'deal': {'dealer': int(state.games['dealer'][0]), 'hands': state.dealt, **orders}}


SIMULATED = [(BIG2, 'charlesworth'), (CATCH5, 'paper')]
OTHERS = [(BIG2, f'python:{__name__}:PLACES'), (BIG2, 'taiwan'), (BIG2, 'hong-kong-3'), (CATCH5, 'table')]
SIMULATED += [pytest.param(*other, marks=pytest.mark.slow) for other in OTHERS]  # any rules can be simulated


@pytest.mark.parametrize(('game', 'rules'), SIMULATED, ids=lambda value: getattr(value, 'name', value))
def test_openspiels_simulation_passes_with_saving_and_loading(game, rules):
    pyspiel.random_sim_test(load(game, rules=rules), 1, serialize=True, verbose=False)


@EACH_GAME
def test_openspiels_checks_of_its_own_games_pass(game):
    api_test = pytest.importorskip('open_spiel.integration_tests.api_test', reason='this wheel has no checks')
    loaded = load(game)
    checks = type(
        'Checks', (api_test.EnforceAPIOnPartialTreeBase,), {'game_name': loaded.get_type().short_name, 'game': loaded}
    )
    result = unittest.defaultTestLoader.loadTestsFromTestCase(checks).run(unittest.TestResult())
    assert result.testsRun >= 5
    assert result.wasSuccessful(), result.failures + result.errors


@EACH_GAME
def test_a_copy_of_a_state_goes_on_by_itself_and_shares_the_kernels(game):
    state = play(load(game), 5, moves=4)
    copy = state.clone()
    assert copy._card_game is state._card_game
    assert copy.rules is state.rules
    copy.apply_action(copy.legal_actions()[-1])
    assert (len(state.moves()), len(copy.moves())) == (4, 5)
    assert copy.games is not state.games


BY_SETS = [('mini', 'reduced'), ('mini', 'compact'), ('taiwan', 'slots'), ('hong-kong-3', 'reduced')]


@pytest.mark.parametrize(
    ('game', 'rules', 'hands', 'actions'),
    [(game, rules, None, None) for game, rules in RULES]
    + [(CATCH5, rules, LONG, None) for rules in CATCH5.presets]
    + [(BIG2, rules, None, actions) for rules, actions in BY_SETS],
    ids=lambda value: getattr(value, 'name', value if isinstance(value, str) else 'long suits' if value else ''),
)
def test_it_is_the_game_that_rlcard_plays(game, rules, hands, actions):
    params, config = ({'actions': actions}, {'game_actions': actions}) if actions else ({}, {})
    loaded, env = load(game, rules=rules, **params), make(game, game_rules=rules, **config)
    end, state = play(loaded, 3, hands=hands, dealers=int(game is CATCH5)), loaded.new_initial_state()
    seen, player = env.reset(**deal_of(game, end))
    assert loaded.num_distinct_actions() == env.num_actions
    for action in end.history():
        if not state.is_chance_node():
            assert (state.current_player(), state.legal_actions()) == (player, sorted(seen['legal_actions']))
            for other, move in zip(seen['legal_actions'], seen['raw_legal_actions'], strict=True):
                text = state.action_to_string(player, other)
                assert text == (f'{OPTIONS[other].text}: {move}' if actions == 'reduced' else move)
                assert state.string_to_action(player, text) == other
            assert state.observation_tensor(player)[2 * env.num_players :] == seen['obs'].tolist()
            seen, player = env.step(action)
        state.apply_action(action)
    assert str(state) == str(end)
    assert state.moves() == [env.game._parse(text) for _, text in env.action_recorder]
    assert state.is_terminal()
    assert env.is_over()
    assert state.returns() == env.get_payoffs().tolist()
    assert state.legal_actions() == []
    assert loaded.min_utility() <= min(state.returns()) <= max(state.returns()) <= loaded.max_utility()


@EACH_GAME
@pytest.mark.parametrize(('kind', 'seats'), [('NONE', []), ('SINGLE_PLAYER', [2]), ('ALL_PLAYERS', [0, 1, 2, 3])])
def test_hands_are_shown_to_those_alone_who_ask_for_them(game, kind, seats):
    loaded, asked = load(game), getattr(pyspiel.PrivateInfoType, kind)
    state, format_cards = play(loaded, 5, moves=8), game.module('cards').format_cards
    seen = make_observation(loaded, pyspiel.IIGObservationType(perfect_recall=False, private_info=asked))
    seen.set_from(state, 2)
    hands = state.games['hands'][0].tolist()
    text = seen.string_from(state, 2)
    assert [seat for seat in range(4) if f'holds {format_cards(hands[seat])}' in text] == seats
    assert [format_cards(hand) in text for hand in hands] == [seat in seats for seat in range(4)]
    private = {'own hand', 'own thrown cards'} if game is CATCH5 else {'own hand'}
    assert private & {*seen.dict} == (private if kind == 'SINGLE_PLAYER' else set())
    assert 'hands' not in seen.dict or seen.dict['hands'].sum(axis=1).tolist() == [hand.bit_count() for hand in hands]


@EACH_GAME
def test_an_observation_is_made_of_named_pieces(game):
    loaded = load(game)
    state, seen = play(loaded, 5, moves=6), make_observation(loaded)
    seen.set_from(state, 2)
    assert list(seen.dict) == ['player', 'mover', *(name for name, _ in game.module('engine.observation').LAYOUT)]
    held = sum(1 << int(card) for card in np.flatnonzero(seen.dict['own hand']))
    assert held == state.games['hands'][0, 2]
    assert seen.dict['mover'].argmax() == state.current_player()


@pytest.mark.parametrize(('game', 'deals'), [(BIG2, 20), (CATCH5, 10)], ids=['big2', 'catch5'])
def test_bots_play_as_their_agents_do_in_openspiels_own_loop(game, deals):
    """The team of the rule agent wins, in each pair of seats, or each seat, in turn."""
    loaded, bot, returns = load(game), game.module('openspiel').AgentBot, np.zeros(4)
    teams = loaded.card_game.teams
    for seed in range(deals):
        team = teams[seed % len(teams)]
        bots = [bot('rule' if seat in team else 'random', seed=seed) for seat in range(4)]
        returns += np.roll(pyspiel.evaluate_bots(loaded.new_initial_state(), bots, seed), -team[0])
    assert returns[0] > returns[1:].mean()
    assert returns[0] > returns[1]


@pytest.mark.parametrize(
    ('game', 'action', 'first'),
    [(BIG2, 999_999, r'0 \(3d\)'), (BIG2, -4, r'0 \(3d\)'), (BIG2, 5, r'0 \(3d\)'), (CATCH5, 63, r'0 \(pass\)')],
)
def test_an_illegal_action_is_explained_and_changes_nothing(game, action, first):
    hands = [list(range(seat, 52, 4)) for seat in range(4)] if game is BIG2 else None
    state = play(load(game), 1, moves=0, hands=hands)
    before = str(state)
    with pytest.raises(IllegalActionError, match=rf'action {action} is not legal: .*{first}'):
        state.apply_action(action)
    assert (str(state), state.moves()) == (before, [])


@EACH_GAME
def test_rules_and_agents_that_openspiel_could_not_use_are_refused(game):
    with pytest.raises(RulesError, match=game.presets[0]):
        load(game, rules='whist')
    with pytest.raises(RulesError, match='is missing'):
        load(game, rules='{"low": "dealt"}')
    bot = game.module('openspiel').AgentBot
    for agent in (object(), None, 7, ['rule'], other(game).module().make_agent('rule')):
        with pytest.raises(ConfigError, match=r'^agent='):
            bot(agent)


@EACH_GAME
def test_shimmy_is_warned_of_once(game):
    warn_once.cache_clear()
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter('always')
        for module in ('shimmy.meltingpot_compatibility', *2 * ['shimmy.openspiel_compatibility']):
            caller_in(module)(load, game)
    (warning,) = shown
    assert str(warning.message).endswith(f'use {game.package}.pettingzoo.env(rules), the same game')


@EACH_GAME
def test_rules_as_json_are_saved_with_the_game(game):
    rules = game.module('rules').Rules(**game.own_rules)
    state = play(load(game, rules=rules.text), 1, moves=3)
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
    assert again.rules == pyspiel.load_game(str(state.get_game())).rules == rules
    assert str(again) == str(state)
