"""The rules of Big 2 in sentences, those of the page."""

from collections.abc import Iterator

from rlcard_big2.cards import RANKS
from rlcard_big2.rules import Rules
from rlcard_play.big2.views import rule_facts
from rlcard_play.terminal.board import Phrases
from rlcard_play.terminal.style import Style


def rule_lines(rules: Rules, say: Phrases, style: Style) -> Iterator[str]:
    """Write some rules, the aim first."""
    yield f'{say("rule.aim", players=rules.players, cards=rules.hand_size)} {say("rule.turns")} {say("rule.lead")}'
    yield ' '.join(_course(rules, say, style))
    yield f'{say("rule.ranks")} {" ".join(RANKS[-rules.ranks :])}'
    yield f'{say("rule.suits")} {" ".join(style.cards(f"2{suit}") for suit in rules.suits)}'
    to = f' {say("rule.to")} '
    for kind in rule_facts(rules)['kinds']:
        yield f'{say("kind." + kind["kind"])}: {to.join(map(style.cards, kind["ends"]))}'
    yield ' '.join(_payment(rules, say))


def _course(rules: Rules, say: Phrases, style: Style) -> Iterator[str]:
    """Yield the sentences on dealing, opening, passing and winning."""
    lowest = style.cards(RANKS[-rules.ranks] + rules.suits[0])
    if rules.num_left_over:
        yield say(f'field.leftover {rules.leftover}')
    first = lowest if rules.is_all_in_play else say('rule.lowest in play')
    yield say(f'field.opening {rules.opening}', card=first)
    if rules.leads != 'lowest':
        yield say('field.leads winner')
    yield say('field.final_pass' if rules.final_pass else 'rule.pass again')
    if rules.last_card != 'free':
        yield say(f'field.last_card {rules.last_card}')
    told = {
        'field.bombs': rules.bombs,
        'rule.same kind': not rules.mixed_kinds,
        'field.no_lone_two': rules.no_lone_two,
        'field.places': rules.places,
        'field.instant_wins dragon': rules.instant_wins in ('dragon', 'both'),
        'field.instant_wins twos': rules.instant_wins in ('twos', 'both'),
    }
    yield from (say(key) for key, holds in told.items() if holds)


def _payment(rules: Rules, say: Phrases) -> Iterator[str]:
    """Yield the sentences on what losers pay."""
    if rules.places:
        worth = range(rules.players - 1, -rules.players, -2)
        yield say('pay.places', payoffs=', '.join(f'{payoff:+d}' for payoff in worth))
        return
    yield say(f'field.settlement {rules.settlement}')
    apart = rules.separate_bonuses
    told = {
        'pay.for all': rules.settlement == 'pairs' and rules.last_card == 'pays',
        'field.face_values' if rules.face_values else 'pay.each': True,
        'field.twos_once' if rules.twos_once else 'field.unplayed_twos': rules.unplayed_twos,
        'pay.bombs apart' if apart else 'field.unplayed_bombs': rules.unplayed_bombs,
        'pay.last apart' if apart else 'field.final_play': rules.final_play,
        'field.added_factors': rules.added_factors,
    }
    yield from (say(key) for key, holds in told.items() if holds)
    for factor, number in enumerate(rules.penalty_thresholds, 2):
        yield say('pay.threshold', n=number, factor=factor)
