"""JSON of the page: views of a game for one seat, for spectators or of a recorded position, rules and refusals."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from rlcard_big2.actions import PASS, action_text
from rlcard_big2.cards import format_cards, mask_of, parse_card, parse_cards
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.engine.ruleset import strength, tabulate
from rlcard_big2.engine.state import penalty
from rlcard_big2.notation import KIND_NAMES, Scene, Trace, kind_name, scene_of_game, split_tricks
from rlcard_big2.records import Record
from rlcard_big2.rules import RANKS, STRAIGHT_ORDERS, Rules
from rlcard_kit.errors import RecordError
from rlcard_kit.records import show_seats
from rlcard_play.study.played import Refusal, refusal_of_cards
from rlcard_play.study.protocols import Json, State
from rlcard_play.study.seated_game import SeatedGame

# Hands of losers whose cost the page shows.
HANDS = '4d 7h Js', '4d 2s', '5d 5c 5h 5s 9h', '4d 4h 6c 7h 8s 9c Td Js Qh', '3d 4d 4h 6c 7h 8s 9c Td Js Qh Kc Kd Ah'


def trick_number(trace: Trace, leads: bool, players: int) -> int:
    """Return the number of the current trick, from 1, where the seat to move may lead the next one."""
    return max(1, len(split_tricks(trace, players)) + leads)


def seat_view(game: SeatedGame, seat: int | None) -> Json:
    """Return the view of a seat, or of a spectator if it is None.

    Of the hands it uses the seat's own, and the number of cards in the others.
    """
    shown = [seat == other for other in range(game.rules.players)]
    scene = scene_of_game(game.env.game.games, game.rules, game.trace, shown)
    view = public_view(scene)
    if seat is None:
        return {**view, 'hand': None, 'legal': None, 'kinds': None}
    return {**view, 'hand': scene.hands[seat], **_moves(scene)}


def public_view(scene: Scene) -> Json:
    """Return the public part of a view: cards left, moves made, and the combination to beat."""
    tricks = split_tricks(scene.trace, scene.rules.players)
    return {
        'rules': scene.rules.to_json(),
        'title': scene.rules.title,
        'ply': len(scene.trace),
        'to_move': scene.mover,
        'left': list(scene.left),
        'last': _last_moves(scene, tricks),
        'table_hand': _table_hand(scene),
        'trick': trick_number(scene.trace, not scene.table, scene.rules.players),
        'tricks': list(accumulate(map(len, tricks), initial=0))[:-1],  # the plies they began at
        'log': [list(move) for move in scene.trace],
    }


def _table_hand(scene: Scene) -> Json | None:
    if scene.by is None:
        return None
    passes = 0 if scene.mover is None else (scene.mover - 1 - scene.by) % scene.rules.players
    return {'cards': scene.table, 'kind': kind_name(scene.table, scene.rules), 'by': scene.by, 'passes': passes}


def _last_moves(scene: Scene, tricks: Sequence[Trace]) -> list[str | None]:
    """Return the last move of each seat in the current trick."""
    last: list[str | None] = [None] * scene.rules.players
    if scene.table and scene.trace:
        for seat, text in tricks[-1]:
            last[seat] = text
    return last


def _moves(scene: Scene) -> Json:
    """Return the legal moves and their kinds, in the same order."""
    return {'legal': list(scene.legal), 'kinds': [kind_name(text, scene.rules) for text in scene.legal]}


def position_view(record: Record, seat: int | None = None) -> Json:
    """Return the position after the last move of a record, with all known hands, or that of one seat.

    Legal moves are None if the hand of the seat to move is not shown. RecordError if the hand of that seat is unknown.
    """
    if seat is not None and record.hands[seat] is None:
        raise RecordError(f'the hand of seat {seat} is unknown: choose another seat')
    scene = (record if seat is None else record.seen_by(seat)).scene()
    hidden = scene.mover is not None and scene.hands[scene.mover] is None
    return {
        **public_view(scene),
        'hands': list(scene.hands),
        **({'legal': None, 'kinds': None} if hidden else _moves(scene)),
        'seats': show_seats(record.seats, record.rules.players),
    }


@lru_cache(maxsize=64)
def rule_facts(rules: Rules) -> Json:
    """Return the kinds of rules with their weakest and strongest combinations, the order of straights, and costs."""
    table = tabulate(rules)[0]
    rated = [int(strength(table, mask)) * _fits(mask, rules) for mask in ACTION_MASKS[:PASS_ID].tolist()]
    known = sorted({worth >> 16 for worth in rated} - {0})
    kinds = []
    for kind in known:
        actions = [action for action in range(PASS_ID) if rated[action] >> 16 == kind]
        ends = [action_text(end(actions, key=rated.__getitem__), rules.suits) for end in (min, max)]
        beaten = [KIND_NAMES[other] for other in known if table['answers'][other] >> kind & 1]
        kinds.append({'kind': KIND_NAMES[kind], 'ends': ends, 'beats': beaten})
    starts = map(RANKS.index, STRAIGHT_ORDERS[rules.straights])
    runs = [
        run
        for run in (RANKS[start : start + 5] for start in starts)
        if _fits(parse_cards(' '.join(rank + 'd' for rank in run)), rules)
    ]
    hands = [hand for hand in (parse_cards(hand, rules.suits) for hand in HANDS) if _fits(hand, rules)]
    costs = [[format_cards(hand, rules.suits), int(penalty(table, hand, 0))] for hand in hands]
    return {'kinds': kinds, 'straights': runs, 'costs': costs}


def _fits(mask: int, rules: Rules) -> bool:
    """Return whether a hand can hold these cards."""
    return mask & ~rules.pack == 0 and mask.bit_count() <= rules.most_cards


def refusal(state: State, text: str) -> Refusal:
    """Return why the seat to move may not make a move that is not legal, from what it sees."""
    seen = state['raw_obs']
    if text == PASS:  # legal except on lead
        return Refusal('lead')
    return refusal_of_cards(text, seen['current_hand'], parse_card) or _by_rules(seen, text)


def _by_rules(seen: Json, text: str) -> Refusal:
    """Return why cards of the viewer's hand may not be played."""
    rules, suits, beat = seen['rules'], seen['rules'].suits, seen['hand_to_beat']
    table, cards = tabulate(rules)[0], mask_of({parse_card(word, suits) for word in text.split()})
    rated, on_table = int(strength(table, cards)), int(strength(table, parse_cards(beat, suits))) if beat else 0
    if rated == 0:
        return Refusal('no combination')
    if not seen['trace'] and not any(seen['played_cards']):
        return Refusal(f'opening {rules.opening}', {'cards': seen['current_hand'].split()[0]})
    if rules.final_pass and seen['packed'][0]['passed'] & 1:
        return Refusal('passed')
    is_answer = table['answers'][on_table >> 16] >> (rated >> 16) & 1
    if not is_answer and cards.bit_count() != len(beat.split()):
        return Refusal('count', {'n': len(beat.split()), 'beat': beat})
    if not is_answer or rated <= on_table:
        return Refusal('weaker' if rated <= on_table else 'kind', {'beat': beat})
    return Refusal('last card' if cards.bit_count() == 1 < len(seen['current_hand'].split()) else 'lone two')
