"""A `Rules` as the numbers that kernels read."""

from typing import Annotated, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from rlcard_catch5.rules import Bidding, Rules
from rlcard_kit.arrays import record_dtype

BIDDINGS = get_args(Bidding)
MATCH, RAISE, OUTBID, FREE = range(len(BIDDINGS))


class RuleTable(Protocol):
    """Rules as kernels read them, a record of RULE_TABLE; all but the first two are switches."""

    bidding: Annotated[int, np.int64]
    least_bid: Annotated[int, np.int64]
    dealer_last: Annotated[int, np.int64]
    """The dealer is filled up last."""
    excess_dead: Annotated[int, np.int64]
    """Trumps beyond six are out of play."""
    may_trump: Annotated[int, np.int64]
    """Trumps may be played while able to follow."""
    last_judges: Annotated[int, np.int64]
    """A trick is judged as if the last card's suit had been led."""
    low_dealt: Annotated[int, np.int64]
    """The two counts for the team that was dealt it."""
    nine_doubled: Annotated[int, np.int64]
    """Nine bid and made scores 18."""


RULE_TABLE = record_dtype(RuleTable)
RuleTables = NDArray[np.void]  # [1] of RULE_TABLE


def tabulate(rules: Rules) -> RuleTables:
    """Tabulate rules for the kernels: [1] of RULE_TABLE."""
    table = np.zeros(1, RULE_TABLE)
    table['bidding'] = BIDDINGS.index(rules.bidding)
    table['least_bid'] = rules.least_bid
    table['dealer_last'] = rules.dealer_served == 'last'
    table['excess_dead'] = rules.excess == 'dead'
    table['may_trump'] = rules.following == 'trump'
    table['last_judges'] = rules.judging == 'last'
    table['low_dealt'] = rules.low == 'dealt'
    table['nine_doubled'] = rules.nine_doubled
    return table
