"""Games in WebAssembly equal those of numba: legal moves, observations, payoffs, records and more."""

import re

import numpy as np

from rlcard_big2.agents.rule import RuleAgent as Big2Rule
from rlcard_big2.engine.big2 import BIG2
from rlcard_big2.rules import PRESETS
from rlcard_big2.search.forced_wins import forced_wins
from rlcard_catch5.agents.rule import RuleAgent as Catch5Rule
from rlcard_catch5.engine.catch5 import CATCH5
from rlcard_kit.agents import Positions
from rlcard_kit.rng import new_streams
from rlcard_kit.vector_env import VectorEnv
from rlcard_play.games import GAMES as PLAYED
from rlcard_play.study.seated_game import Seat
from tests.kit.test_golden import FOLDER, short
from tests.support.games import EACH_PRESET, make

GOLDEN_LINE = re.compile(r'^ *\d+ +(\d) ([0-9a-f]{12}) +(\d+) [0-9a-f]{12} (.*?)(?: [0-9a-f]{12}){0,2}$', re.MULTILINE)
GAMES = {'big2': (BIG2, 150), 'catch5': (CATCH5, 300)}  # of each preset
RULE_AGENTS = {'big2': Big2Rule, 'catch5': Catch5Rule}
GAMES_BY_RULES = 10  # of each preset
MODULUS = 65521


def fold(digests, owners, numbers):
    """Add numbers, [M], to the digests of their games, int64 [N], given each number's game, as games.mjs does."""
    places = np.arange(len(owners)) - np.searchsorted(owners, owners) + 1
    sums = np.bincount(owners, places * (numbers.astype(np.int64) % MODULUS), len(digests)).astype(np.int64)
    has_any = np.bincount(owners, minlength=len(digests)) > 0
    return np.where(has_any, (31 * digests + sums) % 2**44, digests)


def fold_rows(digests, rows, which):
    """Add rows of numbers, [N, K], to the digests of some of their games, bool [N]."""
    return fold(digests, np.repeat(np.flatnonzero(which), rows.shape[1]), rows[which].ravel())


def play_at_once(game, rules, seeds):
    """Return the digest of each game, given the seeds of the deals."""
    env = VectorEnv(game, rules, np.array(seeds, np.uint64))
    digests, observations, payoffs = np.zeros(len(seeds), np.int64), env.new_observations(), env.new_payoffs()
    is_on = np.ones(len(seeds), np.bool_)
    done = np.zeros(len(seeds), np.bool_)
    while is_on.any():
        moves, offsets = env.new_legal()
        moves = moves[: env.legal(moves, offsets)]
        env.observe(observations)
        owners = np.repeat(np.arange(len(seeds)), np.diff(offsets))
        digests = np.where(is_on, fold(digests, owners, moves), digests)
        digests = fold_rows(digests, observations.view(np.uint8).reshape(len(seeds), -1), is_on)
        env.step(moves[offsets[:-1] + digests % np.diff(offsets)], payoffs, done)
        digests = fold_rows(digests, payoffs, done & is_on)
        is_on &= ~done
    return digests.tolist()


@EACH_PRESET
def test_random_games(run_node, game, rules):
    card_game, count = GAMES[game.name]
    seeds = new_streams(45, count).tolist()
    found = run_node('games.mjs', game=game.name, rules=rules, seeds=[str(seed) for seed in seeds])
    assert found == play_at_once(card_game, rules, seeds)


def proofs_of(rules, positions):
    """Return the sum of the payoffs of the moves that are proved to win, each times its place; -1 if it is unknown."""
    wins, payoffs = forced_wins(rules, positions)
    values = np.where(wins, np.where(np.isnan(payoffs), -1, payoffs), 0)
    return int((values * np.arange(1, len(values) + 1)).sum())


@EACH_PRESET
def test_games_by_rules(run_node, game, rules):
    card_game, agent = GAMES[game.name][0], RULE_AGENTS[game.name]()
    agent.prepare(card_game.find_rules(rules))
    seeds = new_streams(46, GAMES_BY_RULES).tolist()
    expected = []
    for seed in seeds:
        env = VectorEnv(card_game, rules, np.array([seed], np.uint64))
        moves, proofs, done = [], 0, np.zeros(1, np.bool_)
        while not done:
            positions = Positions(env.new_observations(), *env.new_legal())
            count = env.legal(positions.moves, positions.offsets)
            env.observe(positions.observations)
            positions = positions._replace(moves=positions.moves[:count])
            proofs += proofs_of(agent.rules, positions) if game.name == 'big2' else 0
            made = positions.moves[agent.choose(positions, np.zeros(1, np.uint64)).indices]
            moves += made.tolist()
            env.step(made, env.new_payoffs(), done)
        expected.append([moves, proofs])
    assert run_node('rule_agents.mjs', game=game.name, rules=rules, seeds=[str(seed) for seed in seeds]) == expected


def deal_of(games):
    """Return the deal of a game that has just begun."""
    game = games[0]
    if 'word' not in games.dtype.names:
        return [int(mask) for mask in game['hands'] if mask]
    return {'dealer': int(game['dealer']), 'hands': game['hands'].tolist(), 'word': str(game['word'][0])}


@EACH_PRESET
def test_golden_games(run_node, game, rules):
    text = (FOLDER / f'{game.name}-{rules}.txt').read_text()
    lines = GOLDEN_LINE.findall(text)
    env = make(game, seed=17, game_rules=rules)
    env.reset()
    found = run_node(
        'golden.mjs', game=game.name, rules=rules, deal=deal_of(env.game.games), moves=[line[3] for line in lines]
    )
    assert len(found['seen']) == len(lines) > 5
    for (seat, digest, count, _), (player, legal, features) in zip(lines, found['seen'], strict=True):
        assert (int(seat), int(count)) == (player, legal)
        if game.name == 'catch5' or PRESETS[rules].is_usual_size:
            assert digest == short(features)
    assert found['isOver']
    assert text.endswith(f'payoffs {found["payoffs"]}\n')


@EACH_PRESET
def test_records_are_read_and_written_again(run_node, game, rules):
    played = PLAYED[game.name]
    preset = played.rules.preset(rules)
    table = played.seated([Seat('rule', 'rule')] * preset.players, preset, seed=7)
    table.deal(played.find_deal('7/2', preset))
    written = []
    while True:
        record = played.records.to_dict(table.record())
        written.append({name: record.get(name) for name in (game.name, 'rules', 'hands', 'deal', 'moves', 'payoffs')})
        if table.is_over:
            break
        table.play(table.legal[table.ply * 7 % len(table.legal)])
    expected = [
        {name: value for name, value in record.items() if value is not None} for record in (*written[:2], written[-1])
    ]
    wrong = {**expected[-1], 'moves': [*expected[-1]['moves'][:-1], '3d 4d']}
    newer, unequal = {**expected[0], game.name: 2}, {**expected[-1], 'payoffs': [0] * preset.players}
    *found, move, version, payoffs = run_node('records.mjs', game=game.name, records=[*expected, wrong, newer, unequal])
    assert found == expected
    assert f'move {len(wrong["moves"])}, 3d 4d by seat' in move
    assert 'is 2: expected 1' in version
    assert 'the moves give' in payoffs
