"""Facts of rules for the page, against brute force from the prose of the rules."""

from dataclasses import replace

import pytest

from rlcard_big2.cards import parse_cards
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.rules import FOUR_PLAYERS
from rlcard_play.big2.rule_facts import rule_facts
from tests.support import oracle

ODD = replace(FOUR_PLAYERS['hong-kong'], four_highest=True, flush_order='suit', low_twos=True, straights='9TA')
RULES = {**FOUR_PLAYERS, 'odd': ODD, 'added': replace(FOUR_PLAYERS['game-sofa'], added_factors=True, twos_once=True)}


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
