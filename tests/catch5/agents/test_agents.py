"""The agents of Catch Five, and their decisions in positions by hand."""

import h5py
import numpy as np
import pytest
import rlcard

from rlcard_catch5 import Rules
from rlcard_catch5.actions import TEXTS
from rlcard_catch5.agents.base import PassAgent, SuitAgent
from rlcard_catch5.agents.published import SHAPES, ParameterFileError, PublishedAgent
from rlcard_catch5.agents.rule import RuleAgent
from rlcard_catch5.cards import parse_card
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import PRESETS
from rlcard_catch5.testing import check_agent
from rlcard_kit.errors import RulesError
from rlcard_kit.registry import AgentNameError
from rlcard_kit.rng import new_streams
from tests.support.played_hands import after
from tests.support.positions import positions_after


def cards_of(text):
    return list(map(parse_card, text.split()))


def dealt(first, third='', second=''):
    """Return four hands: of seats 0, 2 and 1 as given, and the others from the rest of the deck."""
    given = [cards_of(text) for text in (first, second, third)]
    rest = iter([card for card in range(52) if all(card not in hand for hand in given)])
    return [hand or [next(rest) for _ in range(9)] for hand in (*given, [])]


def answer(agent, env):
    return TEXTS[agent.eval_step(env.get_state(env.get_player_id()))[0]]


STRONG = dealt('Ah Kh Qh Jh 5h 2h 3c 4d 6s')
WEAK = dealt('3h 4h 6h 3c 4c 3d 4d 3s 4s')
PASSES = ('pass',) * 3


def test_the_pass_agent_passes_unless_it_must_bid():
    assert {answer(PassAgent(seed), after(STRONG, 3)) for seed in range(20)} == {'pass'}
    for rules, bid in (('paper', 'bid 3'), (Rules(least_bid=5), 'bid 5')):
        assert {answer(PassAgent(seed), after(STRONG, 0, *PASSES, rules=rules)) for seed in range(20)} == {bid}
    env = after(STRONG, 0, *PASSES, 'bid 3')
    assert {answer(PassAgent(seed), env) for seed in range(60)} == set(env.game.legal_texts)


def test_the_suit_agent_names_its_longest_suit_and_is_else_random():
    assert {answer(SuitAgent(seed), after(STRONG, 0, *PASSES, 'bid 3')) for seed in range(20)} == {'trump H'}
    tie = dealt('2c 3c 2d 3d 4d 5s 6s 7s 2h')
    assert answer(SuitAgent(0), after(tie, 0, *PASSES, 'bid 3')) == 'trump D'
    env = after(STRONG, 3)
    assert {answer(SuitAgent(seed), env) for seed in range(99)} == set(env.game.legal_texts)


BIDS = {
    'as low as the auction allows': (STRONG, 3, '', 'paper', 'bid 3'),
    'a weak hand passes': (WEAK, 3, '', 'paper', 'pass'),
    'a bid is raised': (STRONG, 2, 'bid 5', 'paper', 'bid 6'),
    "a tie is the dealer's": (STRONG, 0, 'bid 6, pass, pass', 'paper', 'bid 6'),
    'a partner is not outbid': (STRONG, 0, 'pass, bid 8, pass', 'paper', 'pass'),
    'the dealer must bid': (WEAK, 0, 'pass, pass, pass', 'paper', 'bid 3'),
    'trumps': (STRONG, 0, 'pass, pass, pass, bid 5', 'paper', 'trump H'),
    'free bids': (STRONG, 2, 'bid 5', 'newest', 'bid 6'),
}


@pytest.mark.parametrize(('hands', 'dealer', 'moves', 'rules', 'expected'), BIDS.values(), ids=BIDS)
def test_the_rule_agent_bids_the_worth_of_its_best_suit(hands, dealer, moves, rules, expected):
    assert answer(RuleAgent(), after(hands, dealer, *filter(None, moves.split(', ')), rules=rules)) == expected


# Six trumps each for two seats, so that the refill gives them nothing.
LEADER, FEEDER = 'Ah Kh Qh 9h 8h 7h 2c 3c 4c', '5h 4h 3h 6h 2h Jh 5c 6c 7c'
PLAYS = {
    'leads high trumps and keeps the five': (
        dealt('Ah Kh 5h 4h 3h 6h 2c 3c 4c', 'Qh Jh Th 9h 8h 2h 5c 6c 7c'), 0, {'Ah', 'Kh'}
    ),
    'feeds a partner that is sure to win': (dealt(LEADER, FEEDER), 2, {'5h'}),
    'does not feed opponents': (dealt(LEADER, second=FEEDER), 1, {'3h', '4h', '6h'}),
}  # fmt: skip


@pytest.mark.parametrize(('hands', 'seat', 'expected'), PLAYS.values(), ids=PLAYS)
def test_the_rule_agent_plays(hands, seat, expected):
    env = after(hands, 3, 'bid 9', *PASSES, 'trump H')
    for card in ('Ah', None)[:seat]:
        env.step(card or env.game.legal_texts[0], raw_action=True)
    assert answer(RuleAgent(), env) in expected


def test_agents_by_name():
    mixed = make_agent('rule,epsilon=0.3', 'march')
    assert (type(mixed.agent), mixed.epsilon, mixed.agent.rules) == (RuleAgent, 0.3, PRESETS['march'])
    for name, named in (('rules', "'rule'"), ('published-ppo:none.hdf5', 'none.hdf5'), ('rule,greedy', "'greedy'")):
        with pytest.raises(AgentNameError, match=named):
            make_agent(name)
    with pytest.raises(RulesError):
        make_agent('random', 'taiwan')


# The published network


def weights(seed=0):
    random = np.random.default_rng(seed)
    return [random.normal(0, 0.2, shape).astype(np.float32) for shape in SHAPES]


def save(path, arrays, layers=('one', 'two', 'three', 'four')):
    """Write a file as Keras does."""
    with h5py.File(path, 'w') as file:
        file.attrs['layer_names'] = [name.encode() for name in ('input', *layers)]
        file.create_group('input').attrs['weight_names'] = np.array([], 'S1')
        for name, kernel, bias in zip(layers, arrays[::2], arrays[1::2], strict=True):
            group = file.create_group(name)
            group.attrs['weight_names'] = [f'{name}/kernel:0'.encode(), f'{name}/bias:0'.encode()]
            group[f'{name}/kernel:0'], group[f'{name}/bias:0'] = kernel, bias


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
    check_agent(agent)
    check_agent(PublishedAgent(arrays, greedy=True, seed=1))


def test_draws_follow_the_probabilities():
    given, draws, agent = positions_after(9, 40, 'paper', CATCH5), 20_000, PublishedAgent(weights())
    game = given.counts.argmax()
    many, expected = given.select(np.full(draws, game)), agent.probabilities(given.select(np.array([game])))
    frequency = np.bincount(agent.choose(many, new_streams(5, draws)).indices % len(expected)) / draws
    assert (np.abs(frequency - expected) <= 5 * (expected * (1 - expected) / draws) ** 0.5).all()
    greedy = PublishedAgent(weights(), greedy=True).choose(many, new_streams(5, draws)).indices % len(expected)
    assert set(greedy.tolist()) == {int(expected.argmax())}


def link(path):
    """Write a file whose layer is a link to another file."""
    save(path.with_name('real.hdf5'), weights())
    with h5py.File(path, 'w') as file:
        file.attrs['layer_names'] = [b'one']
        file['one'] = h5py.ExternalLink('real.hdf5', '/one')


@pytest.mark.parametrize(
    ('write', 'message'),
    [
        (lambda path: path.write_bytes(b'not HDF5'), 'does not hold layers of Keras'),
        (lambda path: path.write_bytes(b''), 'does not hold layers of Keras'),
        (lambda path: h5py.File(path, 'w').close(), 'does not hold layers of Keras'),
        (link, 'does not hold layers of Keras'),
        (lambda path: path.mkdir(), 'is a folder, not a file'),
        (lambda path: save(path, weights()[:6], ('a', 'b', 'c')), 'the network takes arrays of the shapes'),
        (lambda path: save(path, [weights()[0].T, *weights()[1:]]), r'expected arrays of'),
        (lambda path: save(path, [weights()[0] * np.nan, *weights()[1:]]), 'NaN or infinite'),
    ],
)
def test_what_is_no_network_is_refused(write, message, tmp_path):
    write(tmp_path / 'network.hdf5')
    with pytest.raises(ParameterFileError, match=message):
        PublishedAgent.load(tmp_path / 'network.hdf5')
