"""Clones of players: traits of moves, the fit, files, and the command."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import rlcard

from rlcard_big2 import records
from rlcard_big2.cards import parse_cards
from rlcard_big2.engine.observation import new_observations
from rlcard_big2.models.clones import choices_of, make_clone
from rlcard_big2.records import Record
from rlcard_big2.registry import AgentNameError, make_agent
from rlcard_big2.rules import Rules
from rlcard_big2.search.clone import PRIOR, PRIOR_SD, TRAITS, Choices, fit, log_softmax, write_traits
from rlcard_kit.errors import ConfigError
from rlcard_play.cli import big2 as main
from tests.support.random_games import random_games, table_of

HAND = '3d 3c 4h 7d 7c Kd Ks Ac 2d'


@pytest.mark.parametrize(
    ('move', 'left', 'expected'),
    [
        ('', (5, 4, 6), {2: 0.25}),
        ('', (5, 3, 6), {2: 0.25, 3: 1}),
        ('', (0, 4, 5), {2: 0.25}),  # a seat that is out holds none
        ('3d', (5, 4, 6), {14: 1, 15: 1, 16: 1}),
        ('Kd', (1, 4, 6), {9: 10 / 12, 14: 1, 15: 1, 17: 10 / 12}),
        ('3d 3c', (1, 4, 6), {5: 1, 16: 1}),
        ('Kd Ks', (5, 4, 6), {5: 1, 10: 10 / 12}),
        ('7d 7c Kd Ks Ac', (5, 4, 6), {8: 1, 11: 11 / 12, 12: 1}),
        ('3d 4h 7d Kd 2d', (5, 4, 6), {8: 1, 11: 1, 13: 1, 14: 3, 16: 1}),
        (HAND, (5, 4, 6), {11: 1, 12: 1, 13: 1, 16: 1, 18: 1}),
    ],
)
def test_traits_are_those_of_the_move(move, left, expected):
    observations = new_observations(1)
    observations['hand'], observations['left'] = parse_cards(HAND), left
    moves, out = np.full(5, parse_cards(move)), np.zeros((5, len(TRAITS)))
    write_traits(observations, moves, np.array([0, 5]), out)
    found = {number: float(value) for number, value in enumerate(out[0]) if value}
    several = {8: 1} if len(move.split()) > 5 else {}
    assert found == pytest.approx({**expected, **several, **({1: 1} if not move else {})})


def simulated(weights, count=4000):
    """Return choices among random moves that a player with these weights makes."""
    random = np.random.default_rng(3)
    counts = random.integers(2, 9, count)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    traits = random.normal(size=(offsets[-1], len(TRAITS)))
    noisy = traits @ weights + random.gumbel(size=len(traits))
    made = [start + noisy[start:end].argmax() for start, end in pairwise(offsets)]
    return Choices(traits, offsets, np.array(made))


def test_a_fit_finds_the_weights_of_the_player():
    weights = PRIOR + np.random.default_rng(1).normal(0, PRIOR_SD, len(PRIOR))
    found = fit(simulated(weights))
    assert (np.abs(found.weights - weights) < 4 * found.errors).all()
    assert (found.errors < 0.15).all()
    assert found.likelihood > found.before


def test_a_fit_is_where_likelihood_and_prior_balance():
    choices = simulated(PRIOR, 30)
    weights = fit(choices).weights

    def log_posterior(weights):
        likelihood = log_softmax(choices.traits @ weights, choices.offsets)[choices.made].sum()
        return likelihood - ((weights - PRIOR) ** 2).sum() / 2 / PRIOR_SD**2

    for direction in np.eye(len(PRIOR)):
        assert log_posterior(weights) >= max(log_posterior(weights + step * direction) for step in (-0.01, 0.01))


def test_choices_are_those_that_the_environment_shows():
    games = [game for preset in ('charlesworth', 'two') for game in random_games(Rules.preset(preset), 2)]
    games.append(games[0].at(9).seen_by(games[0].at(9).player))  # one hand of a game that goes on
    expected = []
    for game in games:
        env = rlcard.make('big2', config={'seed': 0, 'game_rules': game.rules})
        env.show(game.start(), [])
        state = env.get_state(env.get_player_id())
        for seat, move in game.trace:
            legal = state['raw_legal_actions']
            if game.hands[seat] is not None and len(legal) > 1:
                expected.append((len(legal), legal.index(move)))
            state, _ = env.step(move, raw_action=True)
    found = choices_of(games)
    made = zip(np.diff(found.offsets).tolist(), (found.made - found.offsets[:-1]).tolist(), strict=True)
    assert sorted(made) == sorted(expected)


@pytest.fixture(scope='module')
def games():
    """Return games of two greedy and two random agents."""
    table = table_of(Rules(), 12, 5, [make_agent('greedy'), make_agent('random')], [0, 1, 0, 1])
    deals = table.env.games['hands'].tolist()
    while not table.env.is_over:
        table.turn()
    seats = tuple({'name': name} for name in ('Anna', 'Ben') * 2)
    return [
        Record(hands=tuple(hands), moves=tuple(table.moves_of(number)), seats=seats)
        for number, hands in enumerate(deals)
    ]


def test_players_are_told_apart(games):
    anna, ben = (fit(choices_of(games, [name])) for name in ('Anna', 'Ben'))
    assert anna.likelihood > 0.5 > 0.3 > ben.likelihood  # a greedy player is foreseen, and a random one is not
    assert anna.weights[TRAITS.index('passing')] < -4
    assert abs(ben.weights[0]) < 0.2  # a random one does not know the network's values
    count = [len(choices_of(games, names).made) for names in (['Anna'], ['Ben'], ['Anna', 'Ben'], ())]
    assert count[0] + count[1] == count[2] == count[3]
    with_person = [replace(game, seats=({'name': 'Anna', 'kind': 'person'}, *game.seats[1:])) for game in games]
    assert len(choices_of(with_person).made) == count[0]


def test_a_saved_clone_plays_and_is_searched_against(games, tmp_path, capsys):
    file, saved = tmp_path / 'games.jsonl', tmp_path / 'anna.json'
    records.write(file, games)
    with pytest.raises(SystemExit) as end:
        main(['clone', str(file), '--player', 'Anna', '--save', str(saved)])
    assert not end.value.code
    out = capsys.readouterr().out
    weights = fit(choices_of(games, ['Anna'])).weights
    assert f'{weights[1]:+6.2f}' in next(line for line in out.splitlines() if line.endswith('  passing'))
    agent = make_agent(f'clone:{saved}')
    env = rlcard.make('big2', config={'seed': 3})
    state, _ = env.reset()
    action, info = agent.eval_step(state)
    assert action in state['legal_actions']
    assert sum(info['probs'].values()) == pytest.approx(1)
    same = make_clone(weights).eval_step(state)[1]
    assert info['probs'] == pytest.approx(same['probs'])
    search = make_agent(f'search:big2-dmc,opponents=clone:{saved},worlds=8')
    assert search.eval_step(state)[0] in state['legal_actions']
    assert search.models[0].temperature == 1


@pytest.mark.parametrize(
    ('words', 'named'),
    [
        (['--player', 'Carl'], "no player 'Carl' in these games: choose among Anna, Ben"),
        (['--save', 'there.json'], 'there.json exists already'),
    ],
)
def test_what_cannot_be_cloned_is_refused(games, tmp_path, monkeypatch, words, named):
    monkeypatch.chdir(tmp_path)
    records.write('games.jsonl', games)
    Path('there.json').write_text('kept')
    with pytest.raises(SystemExit, match=named):
        main(['clone', 'games.jsonl', *words])
    assert Path('there.json').read_text() == 'kept'


def test_games_without_a_choice_are_refused(games):
    hidden = replace(games[0].at(4), hands=(None,) * 4, opener=games[0].first)
    with pytest.raises(ConfigError, match='no decision'):
        choices_of([hidden])


@pytest.mark.parametrize(
    'data',
    [
        [],
        {'clone': 2, 'weights': dict.fromkeys(TRAITS, 0.0)},
        {'clone': 1, 'weights': dict.fromkeys(TRAITS[1:], 0.0)},
        {'clone': 1, 'weights': dict.fromkeys(TRAITS, 'much')},
    ],
)
def test_files_without_a_clone_are_refused(tmp_path, data):
    file = tmp_path / 'clone.json'
    file.write_text(json.dumps(data))
    with pytest.raises(AgentNameError, match='holds no clone of format 1: write one by `big2 clone`'):
        make_agent(f'clone:{file}')
