"""Records as JSON, and back."""

from typing import Any

import numpy as np

from rlcard_big2.actions import PASS
from rlcard_big2.cards import format_cards, parse_cards
from rlcard_big2.engine.batch import replay_moves
from rlcard_big2.engine.ruleset import tabulate
from rlcard_big2.records.begin import Before
from rlcard_big2.records.record import Record
from rlcard_big2.rules import Rules
from rlcard_kit.errors import KitError, RecordError
from rlcard_kit.records import (
    Format,
    need,
    read_about,
    read_list,
    read_object,
    read_optional,
    read_rules,
    read_text,
    read_whole,
    read_wholes,
    shown,
    write_about,
)

ORDER = ('id', 'rules', 'hands', 'opener', 'view', 'before', 'moves', 'seats', 'payoffs')  # then the others
BEFORE_KEYS = ('played', 'left', 'table', 'by', 'passes', 'passed')


def _encode(record: Record) -> dict[str, Any]:
    data: dict[str, Any] = {
        **write_about(record),
        'hands': [None if hand is None else format_cards(hand, record.rules.suits) for hand in record.hands],
        'opener': record.opener,
        'view': record.view,
        'before': None if record.before is None else _write_before(record.before, record.rules),
    }
    data = {key: value for key, value in data.items() if value is not None}
    moves = [format_cards(mask, record.rules.suits) or PASS for mask in record.moves]
    return {**data, 'moves': moves if moves or record.before is None else None, **record.extra}


def _decode(data: dict[str, Any]) -> Record:
    rules = read_rules(Rules, need(data, 'rules'))
    before = read_optional(data, 'before', lambda value, name: _read_before(value, rules))
    record = Record(
        hands=tuple(read_list(need(data, 'hands'), 'hands', lambda value, name: _hand(value, name, rules))),
        moves=_read_moves(data, rules, before),
        rules=rules,
        before=before,
        opener=read_optional(data, 'opener', read_whole),
        view=read_optional(data, 'view', read_whole),
        **read_about(data, ('big2', *ORDER), 'deal', rules.players),
    )
    if 'best' in record.extra:
        _check_best(record)
    return record


def _cards(value: Any, name: str, rules: Rules) -> int:
    try:
        return parse_cards(read_text(value, name), rules.suits)
    except RecordError:
        raise
    except KitError as error:
        raise RecordError(f'{name}: {error}') from error


def _hand(value: Any, name: str, rules: Rules) -> int | None:
    return None if value is None else _cards(value, name, rules)


def _move(value: Any, name: str, rules: Rules) -> int:
    if read_text(value, name).strip().lower() == PASS:
        return 0
    mask = _cards(value, name, rules)
    if mask == 0:
        raise RecordError(f"{name} is {shown(value)}: it must name cards, or be 'pass'")
    return mask


def _read_moves(data: dict[str, Any], rules: Rules, before: Before | None) -> tuple[int, ...]:
    moves = need(data, 'moves')
    if moves is None:
        if before is None:
            raise RecordError("moves is null: a position without moves needs 'before'")
        return ()
    return tuple(read_list(moves, 'moves', lambda value, name: _move(value, name, rules)))


def _read_before(value: Any, rules: Rules) -> Before:
    data = read_object(value, 'before')
    unknown = [key for key in data if key not in BEFORE_KEYS]
    if unknown:
        raise RecordError(f'before: {shown(unknown[0])} is unknown: its keys are {", ".join(BEFORE_KEYS)}')
    return Before(
        played=tuple(read_list(need(data, 'played'), 'played', lambda value, name: _cards(value, name, rules))),
        left=read_wholes(need(data, 'left'), 'left'),
        table=_cards(need(data, 'table'), 'table', rules),
        by=read_whole(need(data, 'by'), 'by'),
        passes=read_whole(data.get('passes', 0), 'passes'),
        passed=read_optional(data, 'passed', read_wholes),
    )


def _write_before(before: Before, rules: Rules) -> dict[str, Any]:
    data = {
        'played': [format_cards(mask, rules.suits) for mask in before.played],
        'left': list(before.left),
        'table': format_cards(before.table, rules.suits),
        'by': before.by,
        'passes': before.passes,
    }
    return data if before.passed is None else {**data, 'passed': list(before.passed)}


def _check_best(record: Record) -> None:
    best = _move(record.extra['best'], 'best', record.rules)
    games = record.final()
    if record.hands[record.player] is None or replay_moves(tabulate(record.rules), games, np.array([best])) == 0:
        raise RecordError(f'best is {shown(record.extra["best"])}, which is not legal in this position')


FORMAT = Format(key='big2', version=1, order=ORDER, decode=_decode, encode=_encode)
parse, to_dict, to_json = FORMAT.parse, FORMAT.to_dict, FORMAT.to_json
read, iterate, write = FORMAT.read, FORMAT.iterate, FORMAT.write
