"""Games and positions written down: one JSON object a line, checked by replaying.

The format is described in docs/records.md.
"""

from rlcard_big2.records.begin import Before
from rlcard_big2.records.convert import deal_code, from_deals, from_trajectories, hands_of_code, mail_text, moves_of
from rlcard_big2.records.parsing import FORMAT, iterate, parse, read, to_dict, to_json, write
from rlcard_big2.records.record import Record
from rlcard_kit.errors import RecordError
from rlcard_kit.records import MAX_NAME

__all__ = [
    'FORMAT', 'MAX_NAME', 'Before', 'Record', 'RecordError', 'deal_code', 'from_deals', 'from_trajectories',
    'hands_of_code', 'iterate', 'mail_text', 'moves_of', 'parse', 'read', 'to_dict', 'to_json', 'write',
]  # fmt: skip
