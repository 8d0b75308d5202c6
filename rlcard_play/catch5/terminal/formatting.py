"""Hands, moves and their values as text for the terminal."""

from collections.abc import Iterator, Sequence

from rlcard_catch5.cards import SUIT_NAMES, format_cards, parse_cards, parse_suit
from rlcard_catch5.engine.state import FIRST_CARD_PLY, HAND_SIZE, NUM_PLAYERS, NUM_TEAMS, NUM_TRICKS, TRUMP_PLY
from rlcard_catch5.notation import Trace, suit_mask
from rlcard_catch5.search.analysis import MoveEstimate
from rlcard_kit.text import margin_text
from rlcard_play.catch5.advice import Advice, MoveAdvice
from rlcard_play.catch5.review import ReviewedMove
from rlcard_play.catch5.views import Seen, own_refill, split_tricks, trick_points
from rlcard_play.terminal.style import Style

YOU = 'you'
OTHERS = ('next', 'partner', 'previous')
NAMES = (YOU, *OTHERS)


def names_for(seat: int) -> list[str]:
    """Return the names of the seats from a seat's point of view."""
    return [NAMES[(other - seat) % NUM_PLAYERS] for other in range(NUM_PLAYERS)]


def act(name: str, verb: str) -> str:
    """Write a subject and its verb: 'you pass', 'partner passes'."""
    return f'{name} {verb}{"" if name == YOU else "es" if verb.endswith("s") else "s"}'


def suit_name(trump: str) -> str:
    """Return the name of a suit such as 'H'."""
    return SUIT_NAMES[parse_suit(trump)]


def move_text(move: str, style: Style) -> str:
    """Write a move: a bid, the pass, the name of a suit, or a card."""
    return suit_name(move[-1]) if move.startswith('trump') else style.cards(move)


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


def legal_line(legal: Sequence[str], style: Style) -> str:
    """Write the numbered legal moves."""
    label = ' Name trumps: ' if legal[-1].startswith('trump') else ' '
    return style.line(label, [f'#{i} {move_text(move, style)}' for i, move in enumerate(legal)], '  ')


def seen_lines(seen: Seen, names: Sequence[str], style: Style) -> Iterator[str]:
    """Write the cards played, and the trumps and points that are still out."""
    for name, cards in zip(names, seen['played_cards'], strict=True):
        yield hand_line(f' {name} played: ', cards, style, seen['trump'])
    known = ' '.join([*seen['played_cards'], seen['current_hand'], seen['dead_cards']])
    yield hand_line(' trumps out: ', format_cards(suit_mask(seen['trump']) & ~parse_cards(known)), style)


def value_text(move: MoveAdvice) -> str:
    """Write the judgement of a move."""
    return f'{100 * move.share:.0f} %' if move.share is not None else f'{move.points:+.1f}'


def ahead_text(points: float) -> str:
    """Write an expected difference of the teams' scores."""
    return f'{abs(points):.1f} points {"ahead" if points > 0 else "behind"}'


def hint_line(advice: Advice, style: Style) -> str:
    """Write the three best moves."""
    return style.line(' ', [f'{move_text(move.move, style)} {value_text(move)}' for move in advice.moves[:3]], '   ')


def value_lines(advice: Advice, legal: Sequence[str], name: str, style: Style) -> Iterator[str]:
    """Write the judgement of each move, best first, and of the position."""
    yield from style.columns(
        [(f'#{legal.index(move.move)} {move_text(move.move, style)}', value_text(move)) for move in advice.moves]
    )
    meaning = 'shares of its choices' if advice.moves[0].share is not None else 'points ahead'
    text = f'By {name}: {meaning}. It expects the hand to end with your team {ahead_text(advice.points)}.'
    yield style.line(' ', text.split(), ' ')


def rollout_lines(estimates: Sequence[MoveEstimate], legal: Sequence[str], deals: int, style: Style) -> Iterator[str]:
    """Write the results of rollouts, best first, and the assumptions about hidden cards."""
    yield from style.columns(
        [(f'#{legal.index(move.move)} {move_text(move.move, style)}', *_outcome(move)) for move in estimates]
    )
    text = f'Rollouts of {deals} deals: points ahead at the end of the hand. The hidden cards are guessed '
    text += 'from bids and play, as if everybody played like the network.'
    yield style.line(' ', text.split(), ' ')


def _outcome(move: MoveEstimate) -> list[str]:
    """Write the points ahead, the chance of the bid, and the loss against the best move."""
    made = [] if move.made is None else [f'bid made {100 * move.made:.0f} %']
    is_best = move.behind.mean == move.behind.margin == 0
    behind = [] if is_best else [f'{move.behind.mean:.1f}{margin_text(move.behind.margin, 1)} less']
    return [f'{move.payoff.mean:+.1f}{margin_text(move.payoff.margin, 1)}', *made, *behind]


def review_text(reviewed: ReviewedMove, style: Style) -> str:
    """Write the chosen move and the best move."""
    chosen, best = (f'{move_text(move.move, style)} {value_text(move)}' for move in (reviewed.chosen, reviewed.best))
    return style.line(f' move {reviewed.ply + 1}: ', [chosen, f'best {best}'])
