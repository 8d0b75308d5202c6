"""The rules of Catch Five in sentences, those of the page."""

from collections.abc import Iterator

from rlcard_catch5.rules import Rules
from rlcard_play.catch5.seated import TARGET
from rlcard_play.terminal.board import Phrases

WORTH = 'the five counts five; the ace, jack, ten and two count one each.'


def rule_lines(rules: Rules, say: Phrases) -> Iterator[str]:
    """Write some rules, the aim and the meaning of a bid first."""
    yield f'{say("rule.aim")} {WORTH} {say("rule.bids", n=rules.least_bid)} {say("rule.set")}'
    yield f'{say("rule.order")} {say(f"rule.bidding {rules.bidding}")}'
    served, excess = f'rule.served {rules.dealer_served}', f'rule.excess {rules.excess}'
    yield ' '.join(map(say, ('rule.refill', served, excess)))
    yield ' '.join(map(say, (f'rule.following {rules.following}', f'rule.judging {rules.judging}')))
    nine = ('rule.nine',) * rules.nine_doubled
    yield ' '.join(map(say, ('rule.made', *nine, f'rule.low {rules.low}')))
    both = say('rule.bidder first' if rules.bidder_first else 'rule.more points')
    yield f'{say("rule.target", n=rules.target or TARGET)} {both}'
