"""Figures of a game, compared with the same games as the RLCard environment plays them."""

from collections import defaultdict

import numpy as np
import pytest
import rlcard

from eval.games import GAMES
from rlcard_big2.cards import RANKS, parse_cards
from rlcard_kit.duplicate.deals import deal_from_seed
from rlcard_kit.statistics import estimate_ratio
from tests.support.oracle import SIZES, cards_of, looks_like, worth_of

GAMES_PLAYED = 12
STRENGTHS, WORTH = '23456789TJQKA', {'5': 5, 'A': 1, 'J': 1, 'T': 1, '2': 1}
PLACES = 'first', 'second', 'third', 'fourth'


def play(key, rules, agent):
    """Play the command's games in the environment; yield for each its deal, payoffs and moves.

    A move is the seat, the legal texts and the chosen text.
    """
    game = GAMES[key]
    rules = game.find_rules(rules)
    game, env = game.for_rules(rules), rlcard.make(key, config={'game_rules': rules})
    agent, deals = game.make_agent(agent, rules), deal_from_seed(game.card, [5, 0], GAMES_PLAYED)
    for number in range(GAMES_PLAYED):
        state, seat = env.reset(position=game.record(deals[number : number + 1], [], rules))
        moves = []
        while not env.is_over():
            legal = dict(zip(state['legal_actions'], state['raw_legal_actions'], strict=True))
            action, _ = agent.eval_step(state)
            moves.append((seat, list(legal.values()), legal[action]))
            state, seat = env.step(action)
        yield deals[number], env.get_payoffs(), moves


def compare(tables, row, games):
    """Compare figures, each the sums and the counts of every game, with those of a report."""
    found = {(table['title'], column): cell for table in tables for column, cell in table['rows'].get(row, {}).items()}
    keys = {key for game in games for key in game}
    for key in keys:
        sums, counts = np.array([game.get(key, (0, 0)) for game in games], float).T
        if counts.any():
            mean, margin = estimate_ratio(sums, counts)
            assert found[key]['mean'] == pytest.approx(mean), key
            if np.isfinite(margin) and margin > 1e-9:
                assert found[key]['margin'] == pytest.approx(margin), key
    assert len(keys) > 20


def count_by_place(first, payoffs):
    figures = defaultdict(lambda: np.zeros(2))
    for place in range(len(payoffs)):
        payoff = payoffs[(first + place) % len(payoffs)]
        figures['payoff by place', PLACES[place]] += payoff, 1
        figures['share of games won by place', PLACES[place]] += payoff == max(payoffs), 1
    return figures


def count_big2(rules, deal, payoffs, moves):
    figures, players, trick = count_by_place(moves[0][0], payoffs), len(payoffs), []
    figures['moves', 'in a game'] += len(moves), 1
    for kind in SIZES:
        figures['plays in a game, without the last', kind] += 0, 1
    for ply, (_, legal, text) in enumerate(moves):
        if 'pass' in legal and len(legal) > 1:
            figures['passes of legal plays', 'share'] += text == 'pass', 1
        if text != 'pass' and ply < len(moves) - 1:
            won = [move[2] for move in moves[ply + 1 : ply + players]] == ['pass'] * (players - 1)
            cards = cards_of(parse_cards(text, rules.suits))
            kind, _ = worth_of(rules, cards, looks_like(cards))
            how = 'played on another' if trick else 'led'
            figures['plays in a game, without the last', kind] += 1, 0
            figures[f'share of plays that win the lead, {how}', kind] += won, 1
            if len(cards) < 4:
                figures[f'share of {kind}s that win the lead, by rank', RANKS[cards[-1] // 4]] += won, 1
            trick = [] if won else [text]
    twos = [sum(card // 4 == 12 for card in cards_of(hand)) for hand in deal.tolist()]
    for held, payoff in zip(twos, payoffs, strict=True):
        figures['payoff by number of 2s dealt', str(held)] += payoff, 1
        figures['payoff for each one dealt', '2'] += (held - np.mean(twos)) * payoff, (held - np.mean(twos)) ** 2
    return figures


def count_catch5(rules, deal, payoffs, moves):
    figures, texts = count_by_place(moves[0][0], payoffs), [text for *_, text in moves]
    bidder, trump = moves[4][0], texts[4][-1].lower()
    bid = int(dict(zip([seat for seat, *_ in moves[:4]], texts, strict=False))[bidder].split()[1])
    taken = 0
    for first in range(5, 29, 4):
        led = texts[first][1]
        ranked = [
            ((text[1] == trump, text[1] == led, STRENGTHS.index(text[0])), seat, text)
            for seat, _, text in moves[first : first + 4]
        ]
        is_bidders = max(ranked)[1] % 2 == bidder % 2
        for _, seat, text in ranked:
            taken += is_bidders * (text[1] == trump) * WORTH.get(text[0], 0)
            if text == f'5{trump}':
                holds, takes = seat % 2 == bidder % 2, is_bidders
    made, score = taken >= bid, payoffs[bidder]
    five = {
        "held by the bidder's team": (holds, 1),
        "taken by the bidder's team": (takes, 1),
        'taken from the team that held it': (holds != takes, 1),
        'bids made with it': (made and takes, takes),
        'bids made without it': (made and not takes, not takes),
    }
    figures.update({('the five of trumps', name): np.array(pair, float) for name, pair in five.items()})
    figures["score of the bidder's team by bid", str(bid)] += score, 1
    figures["points of the bidder's team by bid", str(bid)] += taken, 1
    figures['bids made', str(bid)] += made, 1
    figures['the auction', 'winning bid'] += bid, 1
    figures['the auction', "won by the dealer's team"] += bidder % 2 == moves[3][0] % 2, 1
    figures['score difference', "the dealer's team"] += payoffs[moves[3][0]] - payoffs[moves[0][0]], 1
    for place, text in enumerate(texts[:4]):
        figures['passes by place', (*PLACES[:3], 'dealer')[place]] += text == 'pass', 1
    return figures


@pytest.mark.parametrize(
    ('key', 'rules', 'agent', 'count'),
    [
        ('big2', 'charlesworth', 'rule', count_big2),
        ('big2', 'taiwan', 'greedy', count_big2),
        ('big2', 'hong-kong-3', 'rule', count_big2),
        ('catch5', 'paper', 'rule', count_catch5),
    ],
)
def test_figures_are_those_of_games_in_the_environment(evaluate, key, rules, agent, count):
    words = '--game', key, '--rules', rules, '--games', GAMES_PLAYED, '--others', 2, '--seed', 5
    tables = evaluate('numbers', agent, *words)
    games = [count(GAMES[key].find_rules(rules), *game) for game in play(key, rules, agent)]
    compare(tables, f'{rules}, {agent}', games)


def test_two_games_of_a_deal_are_alike_by_as_much_as_is_not_drawn(evaluate):
    found = {}
    for drawn in (0, 0.2):
        tables = evaluate('numbers', 'greedy', '--games', 2, '--others', 200, '--epsilon', drawn, out=f'{drawn}')
        (found[drawn],) = tables[-1]['rows'].values()
    assert found[0] == {name: {'mean': 1, 'margin': None} for name in ('correlation of payoffs', 'the same winner')}
    for cell in found[0.2].values():
        assert 0.05 < cell['mean'] - cell['margin'] < cell['mean'] + cell['margin'] < 0.95


def test_one_among_others_takes_each_seat_and_batches_may_end_in_any_order(evaluate, monkeypatch):
    monkeypatch.setattr('eval.commands.numbers.BATCH', 20)
    words = 'numbers', 'rule', 'random', '--games', 50, '--others', 50
    tables = evaluate(*words, workers=2)
    assert tables == evaluate(*words, out='alone')
    (row,) = tables[-1]['rows'].values()
    assert tables[-1]['title'].startswith('payoff by seat')
    assert all(row['itself']['mean'] > 0 > row[name]['mean'] for name in ('next', 'across', 'previous'))
    assert sum(row[name]['mean'] for name in ('itself', 'next', 'across', 'previous')) == pytest.approx(0)
    assert row['previous less next']['mean'] == pytest.approx(row['previous']['mean'] - row['next']['mean'])


def test_what_cannot_be_counted_is_refused(command, tmp_path):
    (tmp_path / 'report.json').touch()
    for words, named in (
        (('rule', 'rule'), 'all different'),
        (('rule', '--rules', 'taiwan', 'taiwan'), 'all different'),
        (('rule', '--out', tmp_path), 'holds a report'),
        (('rule', '--games', 1), '2'),
        (('python:tests.eval.test_commands:Drawing', '--out', tmp_path / 'new', '--games', 2), 'one game at a time'),
    ):
        status, said = command('numbers', *words)
        assert (status, named in said) == (1, True), said
