"""Games and positions written down: one JSON object a line, checked by replaying.

The format is described in docs/records.md.
"""

from rlcard_catch5.records.parsing import FORMAT, iterate, parse, read, to_dict, to_json, write
from rlcard_catch5.records.record import Record, from_deal
from rlcard_kit.errors import RecordError

__all__ = ['FORMAT', 'Record', 'RecordError', 'from_deal', 'iterate', 'parse', 'read', 'to_dict', 'to_json', 'write']
