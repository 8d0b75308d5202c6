"""Catch Five as text in the terminal: entries, hands, moves and their values."""

from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import override

from rlcard_catch5.actions import BIDS
from rlcard_catch5.cards import NAMES as CARD_NAMES
from rlcard_catch5.cards import SUIT_NAMES, format_cards, mask_of, parse_card, parse_cards, parse_suit
from rlcard_catch5.engine.state import FIRST_CARD_PLY, HAND_SIZE, NUM_PLAYERS, NUM_TEAMS, NUM_TRICKS, TRUMP_PLY
from rlcard_catch5.notation import Trace, suit_mask
from rlcard_catch5.records import Record
from rlcard_catch5.rules import Rules
from rlcard_catch5.search.analysis import MoveEstimate
from rlcard_kit.errors import CardError
from rlcard_play.catch5.advice import DEALS, Advice, Advisor, MoveAdvice
from rlcard_play.catch5.played import GAME
from rlcard_play.catch5.review import ReviewedMove
from rlcard_play.catch5.terminal.rules import rule_lines
from rlcard_play.catch5.views import Seen, own_refill, split_tricks, trick_points
from rlcard_play.study.protocols import State
from rlcard_play.study.review import Checked
from rlcard_play.terminal import board
from rlcard_play.terminal.board import LETTERS, PASS, tidy
from rlcard_play.terminal.reports import seat_names
from rlcard_play.terminal.style import Style

NAMES = ('you', 'next', 'partner', 'previous')


class Board(board.Board):
    """Entries, positions, moves and advice of Catch Five."""

    game = GAME
    payoffs = 'scores'
    grades = 'odd moves'
    mistakes = 'moves that {} would hardly make'
    no_mistakes = 'odd moves'

    @override
    def rule_lines(self, rules: Rules, style: Style) -> Iterator[str]:
        return rule_lines(rules, self.phrases)

    @override
    def find_move(self, entry: str, legal: Sequence[str]) -> int | None:
        word = _word_of(entry)
        return next((i for i, text in enumerate(legal) if word in _words_for(text)), None)

    @override
    def explain_move(self, entry: str, seen: Seen) -> str:
        legal: list[str] = seen['actions']
        if legal[-1].startswith('bid'):
            return _explain_bid(entry, legal)
        if legal[-1].startswith('trump'):
            return f'{entry!r} is not a suit: enter c, d, h or s.'
        return _explain_card(_word_of(entry), seen)

    @override
    def position(self, record: Record, state: State, style: Style) -> Iterator[str]:
        seen, seat = state['raw_obs'], record.player
        names = names_for(seat)
        yield style.line(' ', [seat_names(record)[seat], *state_parts(seen, names)], '   ')
        yield from news_lines(seen, 0, format_cards(mask_of(record.deal['hands'][seat])), names, style)
        yield hand_line(' Your hand: ', seen['current_hand'], style, seen['trump'])
        yield self.legal_line(state['raw_legal_actions'], style)

    def legal_line(self, legal: Sequence[str], style: Style) -> str:
        """Write the numbered legal moves."""
        label = ' Name trumps: ' if legal[-1].startswith('trump') else ' '
        return style.line(label, [f'#{i} {self.move_text(move, style)}' for i, move in enumerate(legal)], '  ')

    @override
    def move_text(self, move: str, style: Style) -> str:
        return suit_name(move[-1]) if move.startswith('trump') else style.cards(move)

    @override
    def value_text(self, judged: MoveAdvice) -> str:
        return f'{100 * judged.share:.0f} %' if judged.share is not None else f'{judged.points:+.1f}'

    @override
    def values(self, advisor: Advisor, advice: Advice, legal: Sequence[str], style: Style) -> Iterator[str]:
        yield from style.columns(
            [(self.numbered(one.move, legal, style, one.alike), self.value_text(one)) for one in advice.moves]
        )
        meaning = 'shares of its choices' if advice.moves[0].share is not None else 'points ahead'
        ahead = f'{abs(advice.points):.1f} points {"ahead" if advice.points > 0 else "behind"}'
        yield f' By {advisor.name}: {meaning}. It expects the hand to end with your team {ahead}.'

    @override
    def rollouts(self, look: Sequence[MoveEstimate], legal: Sequence[str], style: Style) -> list[str]:
        text = f'Rollouts of {DEALS} deals: points ahead at the end of the hand. The hidden cards are guessed '
        text += 'from bids and play, as if everybody played like the network.'
        return self.outcome_lines(look, text, legal, style)

    @override
    def outcome(self, estimate: MoveEstimate) -> list[str]:
        made = [] if estimate.made is None else [f'bid made {100 * estimate.made:.0f} %']
        return [f'{estimate.payoff:+.1f}', *made]

    @override
    def moves(
        self,
        record: Record,
        names: Sequence[str],
        reviewed: Mapping[int, ReviewedMove],
        checked: Checked,
        style: Style,
    ) -> Iterator[str]:
        trace = record.trace
        lines = [
            self._move_line(seat, text, ply, names, reviewed.get(ply), style) for ply, (seat, text) in enumerate(trace)
        ]
        yield f' {names[record.deal["dealer"]]} deals'
        for name, hand in zip(names, record.deal['hands'], strict=True):
            yield hand_line(f' {name}: ', format_cards(mask_of(hand)), style)
        yield from lines[:FIRST_CARD_PLY]
        if len(trace) >= FIRST_CARD_PLY:
            yield '\n after the refill'
            yield from _refilled_lines(record, names, style)
        for number, first in enumerate(range(FIRST_CARD_PLY, len(trace), NUM_PLAYERS), 1):
            yield f'\n trick {number}'
            yield from lines[first : first + NUM_PLAYERS]

    def _move_line(
        self, seat: int, text: str, ply: int, names: Sequence[str], reviewed: ReviewedMove | None, style: Style
    ) -> str:
        """Write a move, its value, and the best move if it is another."""
        parts = [f'{names[seat]} {self.move_text(text, style)}']
        if reviewed is not None:
            chosen, best = reviewed.chosen, reviewed.best
            parts += [self.value_text(chosen), f'ahead {reviewed.advice.points:+.1f}']
            parts += [] if chosen == best else [f'best {self.move_text(best.move, style)} {self.value_text(best)}']
        return style.line(f' {ply + 1:3}  ', parts)

    @override
    def ending(self, record: Record) -> list[str]:
        return ['not finished'] * (record.payoffs is None)


BOARD = Board()


def _word_of(entry: str) -> str:
    """Return an entry without blanks and symbols; '10 ♥' is 'th'."""
    return ''.join(entry.translate(LETTERS).replace('10', 't').split())


def _words_for(action: str) -> tuple[str, ...]:
    """Return the entries that mean an action."""
    kind, _, rest = action.lower().partition(' ')
    if kind == 'trump':
        name = SUIT_NAMES[parse_suit(rest)]
        return rest, name, name[:-1], f'trump{rest}', f'trump{name}'
    return (rest, f'bid{rest}') if kind == 'bid' else PASS if kind == 'pass' else (kind,)


def _explain_bid(entry: str, legal: list[str]) -> str:
    bids = [text.removeprefix('bid ') for text in legal if text != 'pass']
    among = f'from {bids[0]} to {bids[-1]}' if len(bids) > 1 else bids[0]
    word = _word_of(entry)
    if word in PASS:
        return f'You cannot pass, because all others have passed: bid {among}.'
    height = word.removeprefix('bid')
    if height in map(str, BIDS):
        return f'You cannot bid {height}: bid {among}.'
    return f'{entry!r} is not a bid: enter a number {among}{", or p to pass" if "pass" in legal else ""}.'


def _explain_card(word: str, seen: Seen) -> str:
    try:
        card = CARD_NAMES[parse_card(word)]
    except CardError:
        return f'{word!r} is not a card: enter rank and suit, such as 5h, or an action as #0.'
    if card not in seen['current_hand'].split():
        return f'You do not hold {tidy(word)}.'
    return f'{card} cannot be played: follow {seen["trick"][seen["leader"]]}.'


def _refilled_lines(record: Record, names: Sequence[str], style: Style) -> Iterator[str]:
    game = record.at(FIRST_CARD_PLY).final()[0]
    trump = record.trace[FIRST_CARD_PLY - 1][1][-1]
    for seat, name in enumerate(names):
        kept = HAND_SIZE - int(game['drawn'][seat])
        yield hand_line(f' {name}, {kept} kept: ', format_cards(int(game['hands'][seat])), style, trump)


def names_for(seat: int) -> list[str]:
    """Return the names of the seats from a seat's point of view."""
    return [NAMES[(other - seat) % NUM_PLAYERS] for other in range(NUM_PLAYERS)]


def act(name: str, verb: str) -> str:
    """Write a subject and its verb: 'you pass', 'partner passes'."""
    return f'{name} {verb}{"" if name == NAMES[0] else "es" if verb.endswith("s") else "s"}'


def suit_name(trump: str) -> str:
    """Return the name of a suit such as 'H'."""
    return SUIT_NAMES[parse_suit(trump)]


def hand_line(label: str, cards: str, style: Style, trump: str | None = None) -> str:
    """Write a label and cards, trumps first, with a gap between suits."""
    suits = sorted({card[1] for card in cards.split()}, key=lambda suit: (suit.upper() != trump, suit))
    groups = [[style.cards(card) for card in cards.split() if card[1] == suit] for suit in suits]
    return style.line(label, [card for group in groups for card in ('', *group)][1:] or ['none'], ' ')


def bids_line(trace: Trace, names: Sequence[str], style: Style) -> str:
    """Write the auction so far."""
    parts = [
        act(names[seat], 'pass') if text == 'pass' else f'{act(names[seat], "bid")} {text.removeprefix("bid ")}'
        for seat, text in trace[:TRUMP_PLY]
    ]
    return style.line(' Bids: ', parts, ' | ')


def refill_lines(seen: Seen, dealt: str, names: Sequence[str], style: Style) -> Iterator[str]:
    """Write the trumps, and what a seat may know of the refill; `dealt` are its own nine cards."""
    trump: str = seen['trump']
    yield style.line(' Trumps: ', [f'{act(names[seen["bidder"]], "name")} {suit_name(trump)}'])
    kept = [f'{name} {HAND_SIZE - lacked}' for name, lacked in zip(names, seen['num_cards_lacked'], strict=True)]
    yield style.line(' Trumps kept: ', kept)
    discarded, drawn = own_refill(seen, dealt)
    yield hand_line(' You discard: ', discarded, style)
    yield hand_line(' You draw: ', drawn, style, trump)
    if seen['dead_cards']:
        yield hand_line(' Out of play: ', seen['dead_cards'], style)


def trick_line(number: int, trick: Trace, names: Sequence[str], style: Style, end: str = '') -> str:
    """Write the cards of a trick, by its number from 1, and how it ended."""
    cards = [
        f'{names[seat] if i else act(names[seat], "lead")} {style.cards(text)}' for i, (seat, text) in enumerate(trick)
    ]
    return style.line(f' Trick {number}: ', [*cards, *([end] if end else [])] or ['you lead'], ' | ')


def trick_end(trick: Trace, winner: int, seen: Seen, names: Sequence[str]) -> str:
    """Write the winner of a trick, and its points."""
    points = trick_points(trick, seen)
    return act(names[winner], 'win') + (f' {points} point{"s" * (points != 1)}' if points else '')


def news_lines(seen: Seen, since: int, dealt: str, names: Sequence[str], style: Style) -> Iterator[str]:
    """Write the moves of a hand from a ply on, whole auctions and tricks; `dealt` are the viewer's nine cards."""
    trace: Trace = seen['trace']
    if since < TRUMP_PLY and trace:
        yield bids_line(trace, names, style)
    if since <= TRUMP_PLY < len(trace):
        yield from refill_lines(seen, dealt, names, style)
    tricks = split_tricks(trace)
    for i, (trick, winner) in enumerate(zip(tricks, seen['trick_winners'], strict=False)):
        if FIRST_CARD_PLY + (i + 1) * NUM_PLAYERS > since:
            yield trick_line(i + 1, trick, names, style, trick_end(trick, winner, seen, names))
    if seen['trump'] and len(seen['trick_winners']) < NUM_TRICKS:
        number = len(seen['trick_winners'])
        yield trick_line(number + 1, tricks[number] if number < len(tricks) else (), names, style)


def team_points(points: Sequence[int], viewer: int) -> str:
    """Write the points of the viewer's team and of the other."""
    own, other = points[viewer % NUM_TEAMS], points[1 - viewer % NUM_TEAMS]
    return f'us {own}, them {other}'


def state_parts(seen: Seen, names: Sequence[str]) -> list[str]:
    """Return the dealer, or the trumps, the bid and the points so far."""
    if seen['trump'] is None:
        return [act(names[seen['dealer']], 'deal')]
    bid = f'{names[seen["bidder"]]} bid {seen["bids"][seen["bidder"]]}'
    return [f'{suit_name(seen["trump"])}, {bid}', f'points: {team_points(seen["points"], seen["self"])}']


def seen_lines(seen: Seen, names: Sequence[str], style: Style) -> Iterator[str]:
    """Write the cards played, and the trumps and points that are still out."""
    for name, cards in zip(names, seen['played_cards'], strict=True):
        yield hand_line(f' {name} played: ', cards, style, seen['trump'])
    known = ' '.join([*seen['played_cards'], seen['current_hand'], seen['dead_cards']])
    yield hand_line(' trumps out: ', format_cards(suit_mask(seen['trump']) & ~parse_cards(known)), style)
