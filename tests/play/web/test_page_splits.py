"""The page: the fewest plays of a hand, under it and in the trainer."""

import re
from functools import cache

import pytest
from playwright.sync_api import expect

from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.duplicate import deals_from_seed
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.engine.ruleset import kind_of, strength, tabulate
from rlcard_big2.nets.hand_features import fewest_moves
from rlcard_big2.notation import KIND_NAMES
from rlcard_big2.rules import Rules
from tests.support.page_player import deal, fits, hand, judged

SPLIT = """async ([rules, hands]) => {
    const page = await import(document.querySelector('[src$="/page.js"]').src);
    const {factsOf, kindOf, split} = page.default['./big2/splits.js'];
    const facts = await factsOf(rules);
    return hands.map((hand) => split(hand, facts).map((cards) => [cards.join(' '), kindOf(cards, facts)]));
}"""


def combinations(rules):
    """Return the combinations of some rules as masks, with the names of their kinds."""
    table = tabulate(rules)[0]
    rated = {int(mask): int(strength(table, mask)) for mask in ACTION_MASKS[:PASS_ID].tolist()}
    return {mask: KIND_NAMES[kind_of(worth)] for mask, worth in rated.items() if worth}


def fewest(hand, known):
    """Return the fewest combinations that a hand splits into, by trying all."""
    held = [mask for mask in known if not mask & ~hand]

    @cache
    def best(left):
        low = left & -left
        return 1 + min(best(left ^ mask) for mask in held if mask & low and not mask & ~left) if left else 0

    return best(hand)


@pytest.mark.parametrize('name', ['hong-kong', 'charlesworth', 'taiwan', 'two'])
def test_no_split_is_of_fewer_combinations(people, name):
    page, rules = people.page(), Rules.preset(name)
    known, table = combinations(rules), tabulate(rules)[0]
    hands = [int(mask) for mask in deals_from_seed(5, 5, rules)[:, : rules.players].flat]
    texts = [format_cards(mask, rules.suits).split() for mask in hands]
    equal = 0
    for mask, groups in zip(hands, page.evaluate(SPLIT, [name, texts]), strict=True):
        played = [parse_cards(text, rules.suits) for text, _ in groups]
        assert sum(played) == mask
        assert [known[one] for one in played] == [kind for _, kind in groups]
        assert len(groups) == fewest(mask, known) <= fewest_moves(table, mask)
        equal += len(groups) == fewest_moves(table, mask)
    assert equal > len(hands) / 2 or 'two pairs' in known.values()  # which count as two moves for the network


def test_the_split_of_the_hand_follows_the_selection(people):
    page = people.page()
    assert deal(page, own='7/1')
    known, rules = combinations(Rules()), Rules()
    details = page.locator('.splits')
    assert details.locator('p').count() == 0  # only on request
    details.locator('summary').click()
    mask = parse_cards(' '.join(hand(page)), rules.suits)
    now = fewest(mask, known)
    expect(details).to_contain_text(f'{now} plays are enough')
    found = set()
    for _ in range(12):
        page.keyboard.press('c')
        chosen = page.locator('.card[aria-pressed=true]').evaluate_all('all => all.map(one => one.dataset.card)')
        rest = fewest(mask & ~parse_cards(' '.join(chosen), rules.suits), known)
        sentence = 'After the selected move' if rest < now else 'The selected move breaks a combination'
        expect(details.get_by_role('status')).to_have_text(re.compile(f'{sentence}.* {rest} '))
        found.add(rest < now)
    assert found == {True, False}
    judged(page)
    page.reload()
    expect(details).to_contain_text(f'{now} plays are enough')  # it stays open
    assert deal(page, own='', strict=True) in (True, False)
    expect(details).to_be_hidden()


def test_the_trainer_by_keyboard_and_by_time(people):
    page = people.page('about:blank', width=390, height=844)
    page.clock.install()
    page.goto('/?splits')
    expect(page.locator('.hand .card')).to_have_count(13)
    fits(page)
    cards = hand(page)
    rules = Rules.preset('hong-kong')
    least = fewest(parse_cards(' '.join(cards), rules.suits), combinations(rules))
    page.keyboard.press('Space')
    page.keyboard.press('Enter')
    expect(page.locator('.hand .card')).to_have_count(12)
    page.keyboard.press('u')
    expect(page.locator('.hand .card')).to_have_count(13)
    page.keyboard.press('Space')
    page.keyboard.press('Enter')
    page.clock.run_for(5_000)  # and what these steps have taken, which is less than the other 25 seconds
    expect(page.locator('.live')).not_to_contain_text('plays')
    page.clock.run_for(26_000)  # what is left counts one by one
    expect(page.locator('.live')).to_have_text(f'13 plays; {least} are enough:')
    expect(page.locator('.splitting > .answer .minis')).to_have_count(least)
    expect(page.get_by_text('Fewest plays found in 0 of 1 hand')).to_be_visible()
    page.keyboard.press('Enter')  # the next hand
    expect(page.locator('.live')).to_have_text('')
    facts = page.evaluate(SPLIT, ['hong-kong', [hand(page)]])[0]
    for text, _ in facts:
        for card in text.split():
            page.locator(f'.card[data-card="{card}"]').press('Space')
        page.keyboard.press('Enter')
    expect(page.locator('.live')).to_have_text(f'{len(facts)} plays: the fewest.')
    expect(page.get_by_text('Fewest plays found in 1 of 2 hands · series 1, longest 1')).to_be_visible()
    judged(page)
