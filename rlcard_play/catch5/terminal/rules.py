"""The rules of Catch Five in sentences, those of the page."""

from collections.abc import Iterator

from rlcard_catch5.rules import Rules
from rlcard_play.catch5.seated import TARGET
from rlcard_play.terminal.board import Phrases

WORTH = 'the five counts five; the ace, jack, ten and two count one each.'


def rule_lines(rules: Rules, say: Phrases) -> Iterator[str]:
    """Write some rules, the aim and the meaning of a bid first."""
    yield f'{say("rule.aim")} {WORTH} {say("rule.bids", n=rules.least_bid)} {say("rule.set")}'
    yield f'{say("rule.order")} {say(f"field.bidding {rules.bidding}")}'
    served, excess = f'field.dealer_served {rules.dealer_served}', f'field.excess {rules.excess}'
    yield ' '.join(map(say, ('rule.refill', served, excess)))
    yield ' '.join(map(say, (f'field.following {rules.following}', f'field.judging {rules.judging}')))
    nine = ('field.nine_doubled',) * rules.nine_doubled
    yield ' '.join(map(say, ('rule.made', *nine, f'field.low {rules.low}')))
    both = say('field.bidder_first' if rules.bidder_first else 'rule.more points')
    yield f'{say("rule.target", n=rules.target or TARGET)} {both}'
