"""The table knows no game: a partnership game of bids and tricks, whose payoffs do not sum to zero, plays at it too."""

import numpy as np
import pytest

import dmc.trainer
import ppo.trainer
from examples.own_game import SEATS, TOY, Bold, RandomBidder, Rules, Shy, ToyAgent
from examples.own_game_training import FEATURES, GAME, MOVES, features
from rlcard_kit.agents import Decision
from rlcard_kit.duplicate.block import Block, play_block
from rlcard_kit.duplicate.match import Match
from rlcard_kit.duplicate.players import AgentFailure, MatchPlayer
from rlcard_kit.envs.action_set import Numbered
from rlcard_kit.envs.gymnasium_env import SeatVectorEnv, Task, View, spaces
from rlcard_kit.errors import RulesError
from rlcard_kit.rng import new_streams
from rlcard_kit.table import Table
from rlcard_kit.vector_env import VectorEnv


def play(one, other, rules='plain'):
    deals = np.empty(20, TOY.deal)
    TOY.shuffle(new_streams(3, 20), deals)
    block = Block(TOY, rules, deals, 0, TOY.seatings(0, 1), 5)
    return play_block(block, [MatchPlayer(one, 'one'), MatchPlayer(other, 'other')])


def test_games_dealt_for_ever_move_the_players_on_and_depend_on_their_own_streams():
    def play_on(count):
        env, seating = VectorEnv(TOY, 'plain', new_streams(4, count)), np.tile(np.arange(SEATS), (count, 1))
        table = Table(env, [RandomBidder() for _ in range(SEATS)], seating, new_streams(5, count)[:, None])
        return [table.turn() for _ in range(3 * TOY.max_plies)]

    few, many = play_on(2), play_on(5)
    for turn, other in zip(few, many, strict=True):
        assert (turn.moves == other.moves[:2]).all()
    for ply, turn in enumerate(few):
        assert (turn.players == (turn.seats - ply // TOY.max_plies) % SEATS).all()
        assert turn.done.all() == (ply % TOY.max_plies == TOY.max_plies - 1)


@pytest.mark.parametrize(('rules', 'factor'), [('plain', 1), ('doubled', 2)])
def test_partners_win_together_and_every_figure_is_the_games_own(rules, factor):
    outcome = play(Bold(), Shy(), rules=rules)
    tricks, bids = np.moveaxis(outcome.figures, 3, 0)
    team = tricks[..., :2] + tricks[..., 2:]
    bold = np.array([0, 1])  # the first team in the first seating, the second in the second
    own = team[:, bold, bold]
    assert (tricks.sum(axis=2) == 3).all()
    assert (bids.max(axis=2) == 3).all()
    match = Match.from_outcome(TOY, outcome)
    assert (match.payoffs == np.where(own == 3, 3, -3) * factor).all()
    assert (match.field[..., 1] == match.payoffs).all(), 'the partner is paid alike'
    assert (match.field[..., 0] == (3 - own) * factor).all()
    assert (match.wins == (own == 3)).all()
    assert match.ev_by_position == {}
    assert match.result.plies.mean == TOY.max_plies
    assert str(match) == f'20 deals: WP {match.wp}, EV {match.ev}'


class Wrong(ToyAgent):
    def choose(self, positions, random):
        return Decision(positions.offsets[1:])


def test_what_fails_is_named():
    with pytest.raises(AgentFailure, match=r'^one failed in deal 0, seat \d: it chose an index that is not among'):
        play(Wrong(), Shy())
    with pytest.raises(RulesError, match='plain, doubled'):
        play(Bold(), Shy(), rules='charlesworth')


NAME = 'python:examples.own_game_training:GAME'
SMALL = {
    'game': NAME, 'num_games': 16, 'hidden_size': 16, 'deterministic': True, 'total_frames': 3000, 'eval_deals': 20,
    'precision': 'float32',
}  # fmt: skip


@pytest.mark.parametrize(
    ('trainer', 'config', 'sizes'),
    [(dmc.trainer, dmc.config.Config, {'batch_size': 64}), (ppo.trainer, ppo.config.Config, {'minibatch_size': 64})],
    ids=['dmc', 'ppo'],
)
def test_a_third_game_is_trained_and_its_network_plays_a_match(trainer, config, sizes, tmp_path):
    settings = config.preset('default', **SMALL, **sizes).changed(savedir=tmp_path / 'run')
    trainer.train(settings)
    agent = GAME.make_agent(f'{settings.agent}:{tmp_path / "run"}', Rules())
    assert agent.trained_on == Rules()
    match = GAME.play_match(agent, 'shy', 20, 'plain', 1)
    assert match.num_deals == 20
    assert np.isfinite(match.ev.mean)
    name = f'{settings.agent}:{tmp_path / "run"}'
    assert GAME.names.weights_file(name, Rules()) == tmp_path / 'run' / 'network.safetensors'


class ToyView(View):
    observation_space = spaces.Box(-1, 12, (FEATURES,), np.float32)
    actions = Numbered(MOVES)

    def observe(self, positions):
        return features(positions.observations).numpy()


class ToySeats(SeatVectorEnv):
    task = Task(TOY, GAME.make_agent, lambda rules: ToyView(), None, -1.0)


def test_a_third_game_is_a_gymnasium_environment():
    envs = ToySeats(3, opponents='shy', rules='plain')
    _, infos = envs.reset(seed=1)
    for _ in range(MOVES):
        legal = infos['action_mask']
        assert (legal.sum(axis=1) > 0).all()
        observations, rewards, over, _, infos = envs.step(legal.argmax(axis=1))
        assert observations.shape == (3, FEATURES)
        assert not rewards[~over].any()
