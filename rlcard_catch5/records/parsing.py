"""Records as JSON, and back."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from rlcard_catch5.actions import TEXTS, parse_action
from rlcard_catch5.records.record import Record
from rlcard_catch5.rules import Rules
from rlcard_kit.errors import KitError, RecordError
from rlcard_kit.records import (
    Format,
    Reader,
    need,
    read_about,
    read_list,
    read_object,
    read_rules,
    read_text,
    read_whole,
    read_wholes,
    write_about,
)

ORDER = ('id', 'rules', 'deal', 'moves', 'seats', 'payoffs')  # then the others


def _encode(record: Record) -> dict[str, Any]:
    data = {**write_about(record), 'deal': deepcopy(dict(record.deal)), 'moves': [TEXTS[move] for move in record.moves]}
    return {key: value for key, value in data.items() if value is not None} | record.extra


def _decode(data: dict[str, Any]) -> Record:
    rules = read_rules(Rules, need(data, 'rules'))
    return Record(
        deal=_read_deal(need(data, 'deal'), 'deal'),
        moves=tuple(read_list(need(data, 'moves'), 'moves', _read_move)),
        rules=rules,
        **read_about(data, ('catch5', *ORDER), 'match', rules.players),
    )


CARDS: Mapping[str, Reader] = {
    'dealer': read_whole,
    'hands': lambda value, name: read_list(value, name, read_wholes),
    'stock': read_wholes,
    'word': read_text,
    'redeal_stock': read_wholes,
    'leftover': read_wholes,
}


def _read_deal(value: Any, name: str) -> dict[str, Any]:
    """Read the numbers of a deal; the record checks that they form one."""
    data = read_object(value, name)
    return {key: CARDS[key](item, f'{name}.{key}') if key in CARDS else item for key, item in data.items()}


def _read_move(value: Any, name: str) -> int:
    text = read_text(value, name)
    try:
        return parse_action(text)
    except KitError as error:
        raise RecordError(f'{name}: {error}') from error


FORMAT = Format(key='catch5', version=1, order=ORDER, decode=_decode, encode=_encode)
parse, to_dict, to_json = FORMAT.parse, FORMAT.to_dict, FORMAT.to_json
read, iterate, write = FORMAT.read, FORMAT.iterate, FORMAT.write
