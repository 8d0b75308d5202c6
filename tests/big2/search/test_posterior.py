"""The posterior of determinizations, given the opponents' moves."""

from itertools import combinations

import numpy as np
import pytest

from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.rules import PRESETS, Rules
from rlcard_big2.search.beliefs import Uniform
from rlcard_big2.search.posterior import Posterior, Sampling
from rlcard_kit.rng import new_streams
from tests.support.random_games import NEAR, Hashed, positions_of, random_games

RULES = {**PRESETS, 'places': Rules(places=True)}
MINI = RULES.pop('mini')  # whose games are short


class Flat:
    """Finds all moves equally good, and keeps what it was asked about."""

    def __init__(self):
        self.asked = []

    def values(self, positions):
        self.asked += [
            (positions.observations[i].copy(), positions.moves[start:end].copy())
            for i, (start, end) in enumerate(zip(positions.offsets[:-1], positions.offsets[1:], strict=True))
        ]
        return np.zeros(len(positions.moves), np.float32)


def followed(record, ply, last=16):
    """Return the game after some moves, and the choices of others than the mover among the last ones: (seen, moves).

    Those of the next player come first, in the order in which it made them.
    """
    players = record.rules.players
    numbers = sorted(range(max(0, ply - last), ply), key=lambda number: (number - ply) % players)
    seen = [positions_of(record.at(number).final(), record.rules) for number in numbers if (number - ply) % players]
    choices = [(one.observations[0], one.moves) for one in seen if len(one.moves) > 1]
    return record.at(ply).final(), choices


def observed(count, ply=17):
    """Return what the seats to move see of games after some moves, [N]."""
    games = np.concatenate([record.at(ply).final() for record in random_games(Rules(), count, seed=3)])
    return positions_of(games, Rules()).observations


def scores(games, rules, network, trace=()):
    """Return the score of the true hands of a game."""
    hands, players = np.zeros(4, np.int64), rules.players
    hands[:players] = np.roll(games[0]['hands'][:players], -games[0]['player'])
    weighted = Posterior(Uniform(rules), network, tabulate(rules), 1.0, trace=trace)
    return weighted.join(weighted.likelihoods(positions_of(games, rules).observations, hands[None, None]))[0, 0]


@pytest.mark.parametrize('rules', [*RULES.values(), MINI], ids=[*RULES, 'mini'])
@pytest.mark.parametrize(('ply', 'is_told'), [(0, False), (1, False), (7, False), (16, False), (7, True), (60, True)])
def test_opponents_are_shown_what_they_saw(rules, ply, is_told):
    for record in random_games(rules, 5, seed=3):
        until = min(ply, len(record.moves) - 1)
        games, choices = followed(record, until, last=60)
        network = Flat()
        score = scores(games, rules, network, record.moves[:until] if is_told else ())
        assert len(network.asked) == len(choices)
        for (shown, legal), (saw, moves) in zip(network.asked, choices, strict=True):
            assert shown == saw
            assert legal.tolist() == moves.tolist()
        assert score == pytest.approx(-sum(np.log(len(moves)) for _, moves in choices))


@pytest.mark.parametrize('rules', RULES.values(), ids=RULES)
def test_later_they_are_shown_it_but_for_what_is_out_of_sight(rules):
    left_out = 0
    for record in random_games(rules, 12, seed=4):
        games, choices = followed(record, min(50 if rules.places else 30, len(record.moves) - 1))
        network = Flat()
        score = scores(games, rules, network)
        places = {(saw['hand'], *saw['played']): place for place, (saw, _) in enumerate(choices)}
        for shown, legal in network.asked:
            saw, moves = choices[places[(shown['hand'], *shown['played'])]]
            for field in ('hand', 'others', 'table', 'beat', 'passes', 'mover', 'left', 'played', 'places'):
                assert (shown[field] == saw[field]).all()
            assert not rules.final_pass or shown['passed'] == saw['passed']
            assert legal.tolist() == moves.tolist()
        assert score == pytest.approx(-sum(np.log(len(legal)) for _, legal in network.asked))
        left_out += len(choices) - len(network.asked)
        assert len(network.asked) >= len(choices) - 9
    assert 0 < left_out < 60


def test_a_move_is_as_likely_as_it_is_good():
    class Fond:
        """Finds a move worth 2 more than all others."""

        def __init__(self, move):
            self.move = move

        def values(self, positions):
            return np.where(positions.moves == self.move, 2, 0).astype(np.float32)

    record = next(one for one in random_games(Rules(), 9, seed=3) if one.moves[1])
    games, ((_, moves),) = followed(record, 2)
    others = len(moves) - 1
    chances = {move: 0.98 * np.exp(2 * (move == record.moves[1])) / (np.exp(2) + others) for move in moves.tolist()}
    for move, chance in chances.items():
        assert scores(games, Rules(), Fond(move)) == pytest.approx(np.log(chance + 0.02 / (others + 1)))


def test_scores_do_not_depend_on_the_batch():
    beliefs, seen = Posterior(Uniform(Rules()), Hashed(), tabulate(Rules()), NEAR), observed(1, 21)
    worlds = Uniform(Rules()).draw(seen, new_streams(1, 1), 600)  # more choices than one batch
    found = beliefs.join(beliefs.likelihoods(seen, worlds))
    alone = [beliefs.join(beliefs.likelihoods(seen, worlds[:, i : i + 1]))[0, 0] for i in range(0, 600, 10)]
    assert found[0, ::10].tolist() == alone
    assert np.ptp(found) > 0.1


@pytest.mark.parametrize(
    'sampling', [Sampling(2000, 1, 40), Sampling(2000, 50, 0), Sampling(), Sampling(1, 1)], ids=str
)
@pytest.mark.parametrize('rules', [Rules(), MINI], ids=['none out of play', 'six cards out of play'])
def test_samples_follow_the_posterior(sampling, rules):
    observations, worlds = few_worlds() if rules == Rules() else worlds_of_two()
    beliefs = Posterior(Uniform(rules), Hashed(), tabulate(rules), 2.0**22, sampling)
    chances = np.exp(beliefs.join(beliefs.likelihoods(observations, worlds[None]))[0])
    chances /= chances.sum()
    drawn = beliefs.rounds(observations).draw(np.arange(1), new_streams(7, 1), 2000)[0]
    shares = np.array([(drawn == world).all(axis=1).mean() for world in worlds])
    assert shares.sum() == pytest.approx(1)
    assert np.abs(shares - chances).sum() < 0.2 < 0.3 < np.abs(1 / len(worlds) - chances).sum()


def test_chains_go_on_from_round_to_round_whichever_games_are_left():
    observations, beliefs = observed(4), Posterior(Uniform(Rules()), Hashed(), tabulate(Rules()), NEAR)
    rounds, streams, drawn = beliefs.rounds(observations), new_streams(5, 4), []
    for which in ([0, 1, 2, 3], [1, 3], [3], [3]):
        own = streams[which]
        drawn.append(rounds.draw(np.array(which), own, 40)[-1])
        streams[which] = own
    alone, own = beliefs.rounds(observations[3:]), new_streams(5, 4)[3:]
    for worlds in drawn:
        np.testing.assert_array_equal(alone.draw(np.array([0]), own, 40)[0], worlds)


@pytest.mark.parametrize('rules', [*RULES.values(), MINI], ids=[*RULES, 'mini'])
def test_worlds_agree_with_what_is_seen(rules):
    for record in random_games(rules, 6, seed=9):
        for ply in (len(record.moves) // 2, len(record.moves) - 1):
            seen = positions_of(record.at(ply).final(), rules).observations
            (worlds,) = Posterior(Uniform(rules), Hashed(), tabulate(rules), NEAR).draw(seen, new_streams(1, 1), 40)
            assert (np.bitwise_count(worlds[:, 1:]) == seen[0]['left']).all()
            assert (worlds[:, 0] == seen[0]['hand']).all()
            assert (
                np.bitwise_count(np.bitwise_or.reduce(worlds[:, 1:], axis=1)).tolist() == [seen[0]['left'].sum()] * 40
            )
            assert not (worlds[:, 1:] & ~seen[0]['others']).any()


def worlds_of_two():
    """Return what a seat sees after some moves of a game of two with cards out of play, [1], and all worlds, [W, 4]."""
    record = next(one for one in random_games(MINI, 20, seed=8) if len(one.moves) > 4)
    observations = positions_of(record.at(3).final(), MINI).observations
    hidden = [1 << card for card in range(52) if int(observations[0]['others']) >> card & 1]
    theirs = [sum(one) for one in combinations(hidden, int(observations[0]['left'][0]))]
    return observations, np.array([[observations[0]['hand'], hand, 0, 0] for hand in theirs])


def few_worlds():
    """Return what a seat sees near the end of some game, [1], and all worlds that agree with it, [W, 4]."""
    for record in random_games(Rules(), 200, seed=8):
        for ply in range(20, len(record.moves)):
            observations = positions_of(record.at(ply).final(), Rules()).observations
            hidden = [1 << card for card in range(52) if int(observations[0]['others']) >> card & 1]
            first, second, third = observations[0]['left'].tolist()
            if first + second + third <= 7 and min(first, second, third) >= 2:
                return observations, np.array(
                    [
                        [observations[0]['hand'], sum(one), sum(two), sum(hidden) - sum(one) - sum(two)]
                        for one in combinations(hidden, first)
                        for two in combinations([card for card in hidden if card not in one], second)
                    ]
                )
    raise AssertionError('no such game')
