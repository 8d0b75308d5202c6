"""Views of games, and facts of rules for the page against brute force from the prose of the rules."""

from dataclasses import replace

import pytest

from rlcard_big2.cards import parse_cards
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.notation import split_tricks
from rlcard_big2.rules import FOUR_PLAYERS, Rules
from rlcard_play.big2.played import SeatedGame
from rlcard_play.big2.views import rule_facts, seat_view, trick_number
from rlcard_play.study.seated_game import Seat
from tests.support import oracle

ODD = replace(FOUR_PLAYERS['hong-kong'], four_highest=True, flush_order='suit', low_twos=True, straights='9TA')
RULES = {**FOUR_PLAYERS, 'odd': ODD, 'added': replace(FOUR_PLAYERS['game-sofa'], added_factors=True, twos_once=True)}


def test_three_passes_end_a_trick():
    trace = [(0, '3d'), (1, 'pass'), (2, '4d'), (3, 'pass'), (0, 'pass'), (1, 'pass'), (2, '5d 5c')]
    assert split_tricks(trace, 4) == [trace[:6], trace[6:]]
    assert [trick_number(trace[:n], leads, 4) for n, leads in ((0, True), (5, False), (6, True), (7, False))] == [
        1, 1, 2, 2,
    ]  # fmt: skip
    cannot_lead = [*trace[:6], (2, 'pass'), (3, '6d')]
    assert split_tricks(cannot_lead, 4) == [cannot_lead[:7], cannot_lead[7:]]


def test_a_view_has_the_last_move_of_each_seat_in_the_trick():
    game = SeatedGame([Seat('rule', 'rule')] * 4, Rules.preset('hkust'), seed=1)
    for index in (0, 0, -1):
        game.play(game.state['raw_legal_actions'][index], chosen=False)
    played, view = dict(game.trace), seat_view(game, None)
    assert view['last'] == [played.get(seat) for seat in range(4)]
    assert game.trace[2][1] == 'pass'
    assert (view['table_hand']['by'], view['table_hand']['passes']) == (game.trace[1][0], 1)


def test_a_view_has_the_plies_at_which_tricks_began():
    game = SeatedGame([Seat('rule', 'rule')] * 2, Rules.preset('two'), seed=1)
    while not game.is_over:
        game.play(game.state['raw_legal_actions'][-1], chosen=False)
        lengths = [len(trick) for trick in split_tricks(game.trace, 2)]
        assert seat_view(game, None)['tricks'] == [sum(lengths[:i]) for i in range(len(lengths))]
    assert len(lengths) > 3


@pytest.fixture(params=RULES.values(), ids=RULES)
def rules(request):
    return request.param


def worth_of(rules, mask):
    cards = oracle.cards_of(mask)
    return oracle.worth_of(rules, cards, oracle.looks_like(cards))


def ends_of(rules):
    """Return what the weakest and the strongest combination of each kind are worth, by the kind's name on the page."""
    kinds = rule_facts(rules)['kinds']
    return {one['kind']: [worth_of(rules, parse_cards(text, rules.suits)) for text in one['ends']] for one in kinds}


def test_ends_are_the_weakest_and_the_strongest_of_all_combinations_of_a_kind(rules):
    worths = {}
    for mask in ACTION_MASKS[:PASS_ID].tolist():
        kind, order = worth_of(rules, mask) or (None, None)
        worths.setdefault(kind, []).append(order)
    worths.pop(None, None)
    ends = {weakest[0]: [weakest[1], strongest[1]] for weakest, strongest in ends_of(rules).values()}
    assert ends == {kind: [min(orders), max(orders)] for kind, orders in worths.items()}


def test_kinds_beat_what_may_be_answered(rules):
    ends = ends_of(rules)
    for one in rule_facts(rules)['kinds']:
        _, strongest = ends[one['kind']]
        assert one['beats'] == [kind for kind, (weakest, _) in ends.items() if oracle.beats(rules, strongest, weakest)]


def test_straights_and_costs_are_those_of_the_prose(rules):
    facts = rule_facts(rules)
    assert facts['straights'] == oracle.STRAIGHTS[rules.straights]
    costs = [oracle.penalty(rules, parse_cards(hand, rules.suits), 0) for hand, _ in facts['costs']]
    assert [cost for _, cost in facts['costs']] == costs
