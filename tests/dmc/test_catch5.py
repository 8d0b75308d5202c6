"""Deep Monte Carlo on Catch Five: the values of actions in torch and numpy, what is learned, and runs."""

from contextlib import closing

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import dmc.cli
import dmc.trainer
from dmc.actor import Actor
from dmc.config import Config
from dmc.inference import Inference
from dmc.workers.in_process import LocalLink
from dmc.workers.shared_memory import SharedArrays, SharedLink, Sizes
from rlcard_big2.models import WEIGHTS
from rlcard_catch5 import make_agent
from rlcard_catch5.agents.trained import DMCAgent
from rlcard_catch5.duplicate import play_match
from rlcard_catch5.nets.checkpoint import Settings
from rlcard_catch5.nets.networks import make_network
from rlcard_catch5.nets.player import NumpySuitsValues
from rlcard_catch5.nets.spec import SuitsValueSpec
from rlcard_catch5.nets.suits import shuffled
from rlcard_kit.dtypes import words_of
from rlcard_kit.errors import ConfigError
from rlcard_kit.nets.checkpoint import CheckpointError
from rlcard_kit.positions import Positions
from tests.support.catch5_positions import positions
from training.checkpoint import save_checkpoint
from training.export import export
from training.games import game_of

SIZES = {'num_games': 16, 'batch_size': 64, 'hidden_size': 16, 'eval_deals': 0, 'num_actors': 1}
SMALL = Config.preset('default', game='catch5', **SIZES)
GAME = game_of('catch5')

pytestmark = pytest.mark.usefixtures('one_thread')


def new_network():
    torch.manual_seed(1)
    return make_network(SuitsValueSpec(hidden_size=16))


# The network


@pytest.mark.parametrize('plies', [2, 4, 12])
def test_numpy_says_the_values_that_torch_does(tmp_path, plies):
    network, shown = new_network(), positions(70, plies)
    save_checkpoint(tmp_path, SMALL, network, 7)
    expected = network.values(shown)
    assert expected.std() > 0.01
    assert np.abs(NumpySuitsValues(tmp_path, SMALL.spec).values(shown) - expected).max() < 1e-5


def test_what_is_learned_of_a_move_is_what_is_said_of_it_to_play():
    network, shown = new_network(), positions(30, 9)
    said = network.values(shown)
    learned = network.of_moves(shown.observations[shown.owners], shown.moves).detach().numpy()
    assert np.abs(learned - said).max() < 1e-5


def test_values_do_not_depend_on_the_names_of_suits():
    network, before = new_network(), positions(200, 6)
    after = shuffled(before, np.random.default_rng(0))
    ranks = before.observations['hand'][:, None] >> 13 * np.arange(4) & 8191
    distinct = np.array([len(set(own)) == 4 for own in ranks])[before.owners]  # equal suits keep their order
    assert distinct.mean() > 0.3
    assert np.abs(network.values(before) - network.values(after))[distinct].max() < 1e-5


# Play


def played(config, moves=200):
    """Return an actor that has made so many moves, its rows, and its turns."""
    actor, turns = Actor(config, 0, LocalLink(GAME), Inference(torch.float32)), []
    make_turn = actor.table.turn

    def turn():
        made = make_turn()
        copies = Positions(*(array.copy() for array in made.positions))
        turns.append(made._replace(positions=copies, payoffs=made.payoffs.copy()))
        return made

    actor.table.turn = turn
    return actor, np.concatenate([actor.play_moves() for _ in range(moves)]), turns


@pytest.mark.parametrize('opponent', ['self', 'pass'])
@pytest.mark.parametrize('win_bonus', [0.0, 4.0])
def test_each_decision_of_the_trained_is_learned_with_the_difference_of_the_scores(opponent, win_bonus):
    config = SMALL.changed(opponent=opponent, win_bonus=win_bonus, td_lambda=1.0, learn_forced=True)
    _, rows, turns = played(config)
    expected, episodes, deals = [], [[] for _ in range(16)], np.arange(16)
    for turn in turns:
        words = words_of(turn.positions.observations)
        for game, seat in enumerate(turn.seats):
            if opponent == 'self' or seat % 2 == deals[game] % 2:  # a trained team, which moves on with each deal
                episodes[game].append((words[game].tolist(), turn.moves[game], seat))
            if turn.done[game]:
                own, other = (turn.payoffs[game, team] for team in (0, 1))
                of_team = (own - other, other - own)
                bonus = [win_bonus / 2 if found > 0 else -win_bonus / 2 for found in of_team]
                expected += [[seen, move, of_team[by % 2] + bonus[by % 2]] for seen, move, by in episodes[game]]
                episodes[game] = []
        deals += turn.done
    assert len(expected) > 500
    assert [[row['observation'].tolist(), row['action'], row['target']] for row in rows] == expected


def test_auctions_are_counted_where_actors_play():
    actor, _, turns = played(SMALL)
    passes, games, so_far = 0, 0, np.zeros(16)
    for turn in turns:
        so_far += (turn.positions.observations['ply'] < 4) & (turn.moves == 0)
        passes, games = passes + so_far[turn.done].sum(), games + turn.done.sum()
        so_far[turn.done] = 0
    counts = actor.link.counts
    averages = GAME.averages(counts.statistics)
    assert counts.games == games > 50
    assert averages['passes'] == pytest.approx(passes / games / 4)
    assert averages['won by the trained'] is None, 'all are'


def test_statistics_of_all_actors_add_up_in_shared_memory():
    with closing(SharedArrays(Sizes.of(GAME, 2, 100, 5))) as arrays:
        for actor in (0, 1, 1):
            SharedLink(arrays, actor).count(2, 14, np.arange(12.0).reshape(6, 2) + actor)
        counts = arrays.counts()
    assert counts[:3] == (0, 6, 42)
    assert counts.statistics.tolist() == (3 * np.arange(12.0).reshape(6, 2) + 2).tolist()


@pytest.mark.parametrize(
    ('settings', 'message'),
    [
        ({'game': 'catch5', 'rules': 'paper'}, "network='layered-residual': catch5 has suits"),
        ({'network': 'suits'}, "network='suits': big2 has plain, residual"),
    ],
)
def test_a_network_that_the_game_does_not_have_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        Config.of(**settings)


# Runs


def train(folder, frames, **changes):
    dmc.trainer.train(SMALL.changed(savedir=folder, deterministic=True, total_frames=frames, **changes))
    return load_file(folder / 'network.safetensors')


def test_a_run_learns_what_its_values_mean(tmp_path):
    train(tmp_path, 20_000, learning_rate=3e-3, averaging=50)
    match = play_match(f'dmc:{tmp_path}', 'random', deals=60)
    assert match.difference.mean > 2 * match.difference.margin, 'it wins from random play'


def test_a_run_is_resumed_exported_and_played_by_name(tmp_path):
    train(tmp_path / 'run', 600)
    assert train(tmp_path / 'run', 1200, resume=True).keys() == new_network().state_dict().keys()
    agent = make_agent(f'dmc:{tmp_path / "run"}')
    assert agent.trained_on.name == 'paper'
    settings = export(tmp_path / 'run', tmp_path / 'small', 'dmc', games=100)
    assert settings == Settings.load(tmp_path / 'small', 'dmc')
    assert settings.calibration is None, 'values are points'
    shown = positions(20, 8)
    halves = make_agent(f'dmc:{tmp_path / "small"}').network.values(shown)
    assert np.abs(halves - agent.network.values(shown)).max() < 0.02


def test_networks_of_another_game_or_kind_are_refused(tmp_path):
    with pytest.raises(CheckpointError, match="is of game 'big2': expected 'catch5'"):
        DMCAgent.load(WEIGHTS / 'dmc')
    with pytest.raises(ConfigError, match=r"start_from=.*is of game 'big2': expected 'catch5'"):
        dmc.trainer.train(SMALL.changed(savedir=tmp_path / 'run', start_from=str(WEIGHTS / 'dmc')))
    save_checkpoint(tmp_path, SMALL, new_network(), 7)
    with pytest.raises(CheckpointError, match="is of agent 'dmc': expected 'ppo'"):
        Settings.load(tmp_path, 'ppo')


@pytest.fixture
def said_by(in_process):
    """Run a command in this process; return all that it prints."""
    sizes = ['--num-games', '16', '--hidden-size', '16', '--batch-size', '64', '--num-actors', '1']

    def run(*words):
        status, said = in_process(dmc.cli.main, *words, '--game', 'catch5', '--learner-threads', '1', *sizes)
        assert status == 0, said
        return said

    return run


@pytest.mark.slow
def test_the_command_trains_with_actors_shows_the_auctions_and_plays(tmp_path, said_by):
    said = said_by('train', '--frames', '2000', '--eval-deals', '4', '--savedir', str(tmp_path))
    assert '  passes ' in said
    assert 'DMC against two of pass, 4 deals, with the teams swapped' in said


@pytest.mark.slow
def test_bench_measures_the_stages_of_this_game_too(said_by):
    said = said_by('bench', '--seconds', '0.3')
    assert all(stage in said for stage in ('actor', 'rings', 'unpacking', 'learner', 'together'))
