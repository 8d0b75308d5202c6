"""Comparison of two agents of Catch Five, checked against the texts of the same hands."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from eval.catch5.groups import by_hand
from eval.explain.explanation import Explanation, explain
from rlcard_catch5 import records
from rlcard_catch5.agents.rule import worth_of_suit
from rlcard_catch5.duplicate import play_match
from rlcard_play.catch5.played import GAME
from rlcard_play.cli import catch5
from tests.support.helpers import report

DEALS, FIELD = 40, 'rule,epsilon=0.2'
PHASES = ('leads', 'plays second', 'plays third', 'plays last')


@pytest.fixture(scope='module')
def found() -> Explanation:
    return explain('rule', 'catch5-ppo', FIELD, deals=DEALS, seed=3, swings=4, game='catch5')


def trace_of(found, deal, which, seating):
    moves, pairs = found.pairs.moves[deal, which, seating], found.pairs
    return records.from_deal(pairs.deals[deal : deal + 1], moves[moves >= 0].tolist(), pairs.rules).trace


def choice_of(texts, phase, trump):
    """Return the name of the choice of two moves, given as text."""
    one, other = texts
    if phase == 'bids':
        if 'pass' in texts:
            return 'rule passes, catch5-ppo bids' if one == 'pass' else 'rule bids, catch5-ppo passes'
        return f'both bid, rule {"more" if one > other else "less"}'
    if phase == 'chooses trumps':
        return 'they name different trumps'
    verb, verbs = ('lead', 'leads') if phase == 'leads' else ('follow with', 'follows with')
    return {
        (True, False): f'rule {verbs} a trump, catch5-ppo does not',
        (False, True): f'catch5-ppo {verbs} a trump, rule does not',
        (True, True): f'both {verb} trumps',
        (False, False): f'neither {verbs} a trump',
    }[tuple(text[1] == trump for text in texts)]


def test_divergent_decisions_are_grouped_as_their_texts_say(found):
    divergences, phases, choices = found.divergences, Counter(), Counter()
    auctions = {
        (True, True): 'both win it',
        (True, False): 'rule wins it, catch5-ppo does not',
        (False, True): 'catch5-ppo wins it, rule does not',
        (False, False): 'neither wins it',
    }
    for i, (deal, seating) in enumerate(zip(divergences.deals, divergences.seatings, strict=True)):
        traces, seats = [trace_of(found, deal, which, seating) for which in (0, 1)], (seating, seating + 2)
        ply = next(ply for ply, (one, other) in enumerate(zip(*traces, strict=True)) if one != other)
        texts, mover = [trace[ply][1] for trace in traces], traces[0][ply][0]
        phase = 'bids' if ply < 4 else 'chooses trumps' if ply == 4 else PHASES[(ply - 5) % 4]
        trump = traces[0][4][1].removeprefix('trump ').lower()
        choice = choice_of(texts, phase, trump) if mover in seats else 'the field drew differently'
        wanted = phase, choice, auctions[tuple(trace[4][0] in seats for trace in traces)]  # who names trumps
        assert tuple(grouping.names[grouping.of[i]] for grouping in found.groupings.values()) == wanted
        assert divergences.is_own[i] == (mover in seats)
        phases[phase] += 1
        choices[choice] += 1
    assert len(phases) >= 4
    assert len(choices) >= 6


def test_groups_add_up_to_the_score_difference(found):
    one, other = (play_match(agent, FIELD, DEALS, seed=3) for agent in ('rule', 'catch5-ppo'))
    assert [match.difference for match in found.matches] == [one.difference, other.difference]
    whole = one.difference.mean - other.difference.mean
    assert whole == pytest.approx(found.pairs.gains.mean())
    assert whole != 0
    for key in ('phase', 'choice', 'auction'):
        *rows, total = found.groups[key].rows
        assert total.cells[2].mean == pytest.approx(whole)
        assert sum(row.cells[2].mean for row in rows) == pytest.approx(whole)
    rows = found.groups['turn'].rows  # of one dealer each deal, so half of the hands each
    assert np.mean([row.cells[2].mean for row in rows]) == pytest.approx(whole)


def test_hands_are_rated_by_the_best_suit_of_both_partners(found):
    grouping = by_hand(found.pairs)
    rated = {}
    for deal, seating in np.ndindex(DEALS, 2):
        hands = found.pairs.deals['hands'][deal, [seating, seating + 2]].tolist()
        rated[deal, seating] = max(worth_of_suit(hand, suit) for hand in hands for suit in range(4))
    by_group = [[rated[place] for place in rated if grouping.of[place] == group] for group in range(5)]
    assert all(max(lower) <= min(higher) for lower, higher in pairwise(by_group))
    assert sum(map(len, by_group)) == 2 * DEALS
    assert grouping.names[-1].startswith(f'the strongest fifth: {min(by_group[-1]):.1f} to {max(rated.values()):.1f}')


def test_the_command_writes_hands_to_replay(evaluate, tmp_path, capsys):
    words = ('explain', 'rule', 'catch5-ppo', '--game', 'catch5', '--deals', 70, '--swings', 4, '--figures', 'svg')
    found, out = evaluate(*words), tmp_path / 'out'
    assert found == evaluate(*words, workers=2, out='two')
    assert list(found[0]['rows']) == ['rule', 'catch5-ppo', 'difference']
    assert [table['title'] for table in found[1:6]] == [
        'score difference by the hands dealt',
        'score difference by turn',
        'divergences by phase',
        'divergences by choice',
        'divergences by the auction',
    ]
    assert 'points predicted' in next(iter(found[6]['rows'].values()))
    hands = records.read(out / 'swings.catch5.jsonl')
    listed = report(out)['listings'][0]['rows']
    for hand, (payoff, *_) in zip(hands[::2], (row[2:] for row in listed), strict=True):
        seat = hand.extra['match']['seat']
        assert [name['name'] for name in hand.seats[seat::2]] == ['rule', 'rule']
        assert hand.payoffs[seat] - hand.payoffs[1 - seat] == int(payoff)
    assert GAME.position_view(hands[0], None)['match'] is None  # the page opens them too
    with pytest.raises(SystemExit, match='0'):
        catch5(['replay', str(out / 'swings.catch5.jsonl'), '--game', '1'])
    assert '[1]' in capsys.readouterr().out
