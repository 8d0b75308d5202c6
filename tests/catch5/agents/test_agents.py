"""The agents of Catch Five, their names, and what each of them is known to do."""

import h5py
import numpy as np
import pytest
import rlcard

import rlcard_catch5
from rlcard_catch5.actions import TEXTS, parse_action
from rlcard_catch5.agents.base import EpsilonAgent, RandomAgent
from rlcard_catch5.agents.baselines import PassAgent, SuitAgent
from rlcard_catch5.agents.published import SHAPES, ParameterFileError, PublishedAgent
from rlcard_catch5.agents.rule import RuleAgent
from rlcard_catch5.cards import parse_card
from rlcard_catch5.registry import GRAMMAR, KINDS, make_agent
from rlcard_catch5.rules import PRESETS
from rlcard_catch5.testing import check_agent
from rlcard_kit.errors import RulesError
from rlcard_kit.positions import Positions
from rlcard_kit.registry import AgentNameError
from rlcard_kit.rng import new_streams

DECK = list(range(52))


def weights(seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(0, 0.2, shape).astype(np.float32) for shape in SHAPES]


AGENTS = {
    'random': lambda: RandomAgent(1),
    'pass': lambda: PassAgent(1),
    'suit': lambda: SuitAgent(1),
    'rule': lambda: RuleAgent(1),
    'rule,epsilon=0.2': lambda: EpsilonAgent(RuleAgent(1), 0.2, 1),
    'published': lambda: PublishedAgent(weights(), seed=1),
    'published,greedy': lambda: PublishedAgent(weights(), greedy=True, seed=1),
}


@pytest.mark.parametrize('name', AGENTS)
def test_agents_keep_to_the_protocol(name):
    check_agent(AGENTS[name]())


def hand_of(*texts):
    """Return a deal in which seat 0 is to move first and holds these cards."""
    own = [parse_card(text) for text in texts]
    rest = [card for card in DECK if card not in own]
    hands = [own, rest[:9], rest[9:18], rest[18:27]]
    return {'dealer': 3, 'hands': hands}


def answer(agent, env, state=None):
    state = state or env.get_state(env.get_player_id())
    return TEXTS[agent.eval_step(state)[0]]


def after(deal, *moves, rules='paper'):
    env = rlcard.make('catch5', config={'seed': 1, 'game_rules': rules})
    env.reset(deal=deal)
    for move in moves:
        env.step(move, raw_action=True)
    return env


STRONG = hand_of('Ah', 'Kh', 'Qh', 'Jh', '5h', '2h', '3c', '4d', '6s')
WEAK = hand_of('3h', '4h', '6h', '3c', '4c', '3d', '4d', '3s', '4s')


def test_the_pass_agent_passes_unless_it_is_stuck():
    assert {answer(PassAgent(seed), after(STRONG)) for seed in range(20)} == {'pass'}
    for rules, bid in (('paper', 'bid 3'), (rlcard_catch5.Rules(least_bid=5), 'bid 5')):
        env = after({**STRONG, 'dealer': 0}, 'pass', 'pass', 'pass', rules=rules)
        assert {answer(PassAgent(seed), env) for seed in range(20)} == {bid}
    env = after({**STRONG, 'dealer': 0}, 'pass', 'pass', 'pass', 'bid 3')
    assert {answer(PassAgent(seed), env) for seed in range(60)} == set(env.game.legal_texts)


def test_the_suit_agent_names_its_longest_suit_and_else_anything():
    env = after({**STRONG, 'dealer': 0}, 'pass', 'pass', 'pass', 'bid 3')
    assert {answer(SuitAgent(seed), env) for seed in range(20)} == {'trump H'}
    tie = hand_of('2c', '3c', '2d', '3d', '4d', '5s', '6s', '7s', '2h')
    assert answer(SuitAgent(0), after({**tie, 'dealer': 0}, 'pass', 'pass', 'pass', 'bid 3')) == 'trump D'
    env = after(STRONG)
    assert {answer(SuitAgent(seed), env) for seed in range(99)} == set(env.game.legal_texts)


def test_the_rule_agent_bids_what_its_best_suit_is_worth():
    assert answer(RuleAgent(), after(STRONG)) == 'bid 3', 'as low as the auction allows'
    assert answer(RuleAgent(), after(WEAK)) == 'pass'
    assert answer(RuleAgent(), after({**STRONG, 'dealer': 2}, 'bid 5')) == 'bid 6'
    dealing = {**STRONG, 'dealer': 0}
    assert answer(RuleAgent(), after(dealing, 'bid 6', 'pass', 'pass')) == 'bid 6', "a tie is the dealer's"
    assert answer(RuleAgent(), after(dealing, 'pass', 'bid 8', 'pass')) == 'pass', 'a partner is not outbid'
    assert answer(RuleAgent(), after({**WEAK, 'dealer': 0}, 'pass', 'pass', 'pass')) == 'bid 3', 'it must'
    assert answer(RuleAgent(), after(dealing, 'pass', 'pass', 'pass', 'bid 5')) == 'trump H'
    free = after({**STRONG, 'dealer': 2}, 'bid 5', rules='newest')
    assert answer(RuleAgent(), free) == 'bid 6'


def play_of(hands, trump, *cards, rules='paper'):
    """Return a game in which seat 0 leads and everyone holds six cards, all of them told."""
    env = after({'dealer': 3, 'hands': hands}, 'bid 9', 'pass', 'pass', 'pass', f'trump {trump}', rules=rules)
    for card in cards:
        env.step(card, raw_action=True)
    return env


def nine(*texts):
    return [parse_card(text) for text in texts]


# Six hearts each for seats 0 and 2, so that the refill gives them nothing; the points are where the names say.
OWN = nine('Ah', 'Kh', '5h', '4h', '3h', '6h', '2c', '3c', '4c')
PARTNER = nine('Qh', 'Jh', 'Th', '9h', '8h', '2h', '5c', '6c', '7c')


def with_hands(own, partner):
    rest = [card for card in DECK if card not in own + partner]
    return [own, rest[:9], partner, rest[9:18]]


def test_the_rule_agent_leads_high_trumps_and_keeps_the_five():
    assert answer(RuleAgent(), play_of(with_hands(OWN, PARTNER), 'H')) in {'Ah', 'Kh'}


def test_the_rule_agent_feeds_a_partner_that_is_sure_to_win():
    leader = nine('Ah', 'Kh', 'Qh', '9h', '8h', '7h', '2c', '3c', '4c')
    feeder = nine('5h', '4h', '3h', '6h', '2h', 'Jh', '5c', '6c', '7c')
    env = play_of(with_hands(leader, feeder), 'H', 'Ah')
    env.step(env.game.legal_texts[0], raw_action=True)
    assert answer(RuleAgent(), env) == '5h'


def test_the_rule_agent_does_not_feed_opponents():
    opponent = nine('Ah', 'Kh', 'Qh', '9h', '8h', '7h', '2c', '3c', '4c')
    feeder = nine('5h', '4h', '3h', '6h', '2h', 'Jh', '5c', '6c', '7c')
    rest = [card for card in DECK if card not in opponent + feeder]
    env = play_of([opponent, feeder, rest[:9], rest[9:18]], 'H', 'Ah')
    assert answer(RuleAgent(), env) in {'3h', '4h', '6h'}


@pytest.mark.parametrize('rules', PRESETS)
def test_the_suit_of_a_dealt_hand_says_nothing_to_the_agents_that_play_at_random(rules):
    """A batch of positions at each stage of a hand; random draws follow the streams alone."""
    env, streams = rlcard_catch5.VectorEnv(200, rules, seed=1), new_streams(2, 200)
    observations, (moves, offsets) = env.new_observations(), env.new_legal()
    env.observe(observations)
    positions = Positions(observations, moves[: env.legal(moves, offsets)], offsets)
    chosen = [RandomAgent(seed).choose(positions, streams.copy()).indices for seed in (1, 2)]
    assert (chosen[0] == chosen[1]).all()


# Names


def test_the_grammar_names_everything():
    for name in KINDS:
        assert f'  {name}' in GRAMMAR
    assert 'rule,epsilon=0.05' in GRAMMAR
    for name, kind in (('random', RandomAgent), ('pass', PassAgent), ('suit', SuitAgent), ('rule', RuleAgent)):
        assert type(make_agent(name)) is kind
        assert make_agent(name, 'march').rules == PRESETS['march']
    mixed = make_agent('rule,epsilon=0.3', 'march')
    assert (type(mixed), type(mixed.agent), mixed.epsilon, mixed.agent.rules) == (
        EpsilonAgent, RuleAgent, 0.3, PRESETS['march'],
    )  # fmt: skip


@pytest.mark.parametrize(
    ('name', 'message'),
    [
        ('rules', "'rules' is not the name of an agent: did you mean 'rule'"),
        ('greedy', 'is not the name of an agent'),
        ('pass:x', 'write pass'),
        ('published-ppo', r'write published-ppo:FILE\[,greedy\]'),
        ('published-ppo:missing.hdf5', 'cannot be made: missing.hdf5'),
        ('rule,greedy', "has no option 'greedy': it takes epsilon=SHARE"),
        ('rule,epsilon=2', 'is not a share from 0 to 1'),
    ],
)
def test_what_is_no_name_is_refused(name, message):
    with pytest.raises(AgentNameError, match=message):
        make_agent(name)
    with pytest.raises(RulesError, match='no preset'):
        make_agent('random', 'taiwan')


# The published network


def save(path, arrays, layers=('one', 'two', 'three', 'four')):
    """Write a file as Keras does."""
    with h5py.File(path, 'w') as file:
        file.attrs['layer_names'] = [name.encode() for name in ('input', *layers)]
        file.create_group('input').attrs['weight_names'] = np.array([], 'S1')
        for name, kernel, bias in zip(layers, arrays[::2], arrays[1::2], strict=True):
            group = file.create_group(name)
            group.attrs['weight_names'] = [f'{name}/kernel:0'.encode(), f'{name}/bias:0'.encode()]
            group[f'{name}/kernel:0'], group[f'{name}/bias:0'] = kernel, bias


def positions_of(count=40, plies=9):
    env, random = rlcard_catch5.VectorEnv(count, seed=1), new_streams(2, count)
    payoffs, done = env.new_payoffs(), np.empty(count, bool)
    observations, (moves, offsets) = env.new_observations(), env.new_legal()
    for _ in range(plies):
        env.observe(observations)
        positions = Positions(observations, moves[: env.legal(moves, offsets)], offsets)
        env.step(positions.moves[RandomAgent(1).choose(positions, random).indices], payoffs, done)
    env.observe(observations)
    return Positions(observations, moves[: env.legal(moves, offsets)], offsets)


def test_a_network_is_read_from_a_file_and_computed_layer_by_layer(tmp_path):
    arrays, layers = weights(), ('z', 'a', 'm', 'b')  # not in the order of the alphabet
    save(tmp_path / 'network.hdf5', arrays, layers)
    agent = make_agent(f'published-ppo:{tmp_path}/network.hdf5')
    env = rlcard.make('catch5', config={'seed': 3})
    state, _ = env.reset()
    while not env.is_over():
        hidden = state['obs'][:504].astype(np.float64)
        for i in range(4):
            hidden = hidden @ arrays[2 * i] + arrays[2 * i + 1]
            hidden = np.tanh(hidden) if i < 3 else np.exp(hidden)
        legal = list(state['legal_actions'])
        _, info = agent.eval_step(state)
        expected = hidden[legal] / hidden[legal].sum()
        assert list(info['probs'].values()) == pytest.approx(expected.tolist(), rel=1e-3, abs=1e-6)
        state, _ = env.step(agent.step(state))
    assert agent.trained_on == PRESETS['march']


def test_draws_follow_the_probabilities():
    positions, draws = positions_of(), 20_000
    game = positions.counts.argmax()
    many = positions.select(np.full(draws, game))
    agent = PublishedAgent(weights())
    expected = agent.probabilities(positions.select(np.array([game])))
    frequency = np.bincount(agent.choose(many, new_streams(5, draws)).indices % len(expected)) / draws
    assert (np.abs(frequency - expected) <= 5 * (expected * (1 - expected) / draws) ** 0.5).all()
    greedy = PublishedAgent(weights(), greedy=True).choose(many, new_streams(5, draws)).indices % len(expected)
    assert set(greedy.tolist()) == {int(expected.argmax())}


@pytest.mark.parametrize(
    ('write', 'message'),
    [
        (lambda path: path.write_bytes(b'not HDF5'), 'does not hold layers of Keras'),
        (lambda path: path.write_bytes(b''), 'does not hold layers of Keras'),
        (lambda path: path.mkdir(), 'is a folder, not a file'),
        (lambda path: save(path, weights()[:6], ('a', 'b', 'c')), 'the network takes arrays of the shapes'),
        (lambda path: save(path, [weights()[0].T, *weights()[1:]]), r'expected arrays of'),
        (lambda path: save(path, [weights()[0] * np.nan, *weights()[1:]]), 'NaN or infinite'),
        (lambda path: h5py.File(path, 'w').close(), 'does not hold layers of Keras'),
    ],
)
def test_what_is_no_network_is_refused(write, message, tmp_path):
    write(tmp_path / 'network.hdf5')
    with pytest.raises(ParameterFileError, match=message):
        PublishedAgent.load(tmp_path / 'network.hdf5')


def test_a_file_that_points_to_another_is_not_followed(tmp_path):
    save(tmp_path / 'real.hdf5', weights())
    with h5py.File(tmp_path / 'links.hdf5', 'w') as file:
        file.attrs['layer_names'] = [b'one']
        file['one'] = h5py.ExternalLink('real.hdf5', '/one')
    with pytest.raises(ParameterFileError, match='does not hold layers of Keras'):
        PublishedAgent.load(tmp_path / 'links.hdf5')


def test_texts_and_ids_of_actions_agree():
    assert [TEXTS[parse_action(text)] for text in TEXTS] == list(TEXTS)
