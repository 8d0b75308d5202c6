"""Catch Five in sets, lists and loops, written from the rules' text: a second opinion on the engine, and slow.

Cards are texts such as '5h'. What chance decides at the refill is told: the stock in the order in which it is dealt,
from its end, and the order in which the seat that takes the trumps left keeps its other cards.
"""

RANKS = '23456789TJQKA'
SUITS = 'cdhs'
VALUES = {'A': 1, 'J': 1, 'T': 1, '2': 1, '5': 5}


def number(card):
    """Return the id of a card, by which thrown cards are dealt out again."""
    return SUITS.index(card[1]) * 13 + RANKS.index(card[0])


def card_of(identity):
    return RANKS[identity % 13] + SUITS[identity // 13]


def surplus(cards, trump):
    """Return the lowest trumps without points of those beyond six."""
    trumps = sorted((card for card in cards if card[1] == trump), key=number)
    plain = [card for card in trumps if card[0] not in VALUES]
    return plain[: max(0, len(trumps) - 6)]


class Game:
    def __init__(self, rules, dealer, hands, redeal, leftover=()):
        self.rules, self.dealer = rules, dealer
        self.hands = [set(hand) for hand in hands]
        self.redeal, self.leftover = list(redeal), list(leftover)
        self.stock = {card_of(i) for i in range(52)} - set().union(*self.hands)
        self.thrown, self.dead = [set() for _ in hands], set()
        self.moves = []  # (seat, text)
        self.bids = {}  # by seat, in the order in which they were made
        self.trump = None
        self.tricks = []  # lists of (seat, card); the last may be going on
        self.won = []  # (seat, cards)
        self.low_holder = None

    def seat(self):
        if len(self.bids) < 4:
            return (self.dealer + 1 + len(self.bids)) % 4
        if not self.tricks:
            return self.bidder()
        if len(self.tricks[-1]) == 4:
            return self.won[-1][0]
        return (self.tricks[-1][-1][0] + 1) % 4

    def bidder(self):
        highest = max(self.bids.values())
        if highest == 0:
            return None
        if self.bids.get(self.dealer) == highest:
            return self.dealer
        return next(seat for seat, bid in self.bids.items() if bid == highest)

    def is_over(self):
        return len(self.won) == 6

    def legal(self):
        if self.is_over():
            return []
        if len(self.bids) < 4:
            return ['pass'] * self.may_pass() + [f'bid {bid}' for bid in range(3, 10) if self.may_bid(bid)]
        if self.trump is None:
            return ['trump C', 'trump D', 'trump H', 'trump S']
        return sorted(self.playable(), key=number)

    def may_pass(self):
        return self.seat() != self.dealer or any(self.bids.values())

    def may_bid(self, bid):
        highest, is_dealer = max([0, *self.bids.values()]), self.seat() == self.dealer
        if bid < self.rules.least_bid:
            return False
        if self.rules.bidding == 'free' or bid > highest:
            return not (self.rules.bidding == 'match' and is_dealer and highest and bid > highest)
        return bid == highest and is_dealer and self.rules.bidding in ('match', 'raise')

    def playable(self):
        hand = self.hands[self.seat()]
        if not self.tricks or len(self.tricks[-1]) == 4:
            return hand
        led = self.tricks[-1][0][1][1]
        following = {card for card in hand if card[1] == led}
        if following and self.rules.following == 'trump':
            return following | {card for card in hand if card[1] == self.trump}
        return following or hand

    def play(self, text):
        seat = self.seat()
        self.moves.append((seat, text))
        if text == 'pass' or text.startswith('bid'):
            self.bids[seat] = 0 if text == 'pass' else int(text[-1])
        elif text.startswith('trump'):
            self.trump = text[-1].lower()
            self.refill()
        else:
            self.play_card(seat, text)

    def refill(self):
        order = [(self.dealer + i + (self.rules.dealer_served == 'last')) % 4 for i in range(4)]
        for seat in order:
            keep = {card for card in self.hands[seat] if card[1] == self.trump}
            beyond = set(surplus(keep, self.trump))
            self.thrown[seat] = self.hands[seat] - keep | beyond
            self.hands[seat] = keep - beyond
            if self.rules.excess == 'dead':
                self.dead |= beyond
            else:
                self.stock |= beyond
        stock = [card for card in self.redeal if card in self.stock]
        assert set(stock) == self.stock
        pile = set().union(*self.thrown) - self.stock - self.dead
        for seat in order:
            while stock and len(self.hands[seat]) < 6:
                self.hands[seat].add(stock.pop())
        for seat in order:
            while len(self.hands[seat]) < 6:
                card = max(pile, key=number)
                pile.remove(card)
                self.hands[seat].add(card)
        left = {card for card in stock if card[1] == self.trump}
        self.stock = set(stock) - left
        if left:
            self.take(order[-1], left)
        self.low_holder = next((seat for seat in order if '2' + self.trump in self.hands[seat]), None)

    def take(self, seat, left):
        held = {card for card in self.hands[seat] if card[1] == self.trump} | left
        others = [card for card in self.leftover if card in self.hands[seat] - held]
        assert set(others) == self.hands[seat] - held
        beyond = set(surplus(held, self.trump))
        held -= beyond
        kept = others[: 6 - len(held)]
        self.thrown[seat] |= beyond | set(others) - set(kept)
        if self.rules.excess == 'dead':
            self.dead |= beyond
        self.hands[seat] = held | set(kept)

    def play_card(self, seat, card):
        if not self.tricks or len(self.tricks[-1]) == 4:
            self.tricks.append([])
        trick = self.tricks[-1]
        trick.append((seat, card))
        self.hands[seat].remove(card)
        if len(trick) == 4:
            suit = trick[-1 if self.rules.judging == 'last' else 0][1][1]
            winner = self.winner(trick, suit)
            self.won.append((winner, [card for _, card in trick]))

    def winner(self, trick, suit):
        for counting in (self.trump, suit):
            in_it = [(RANKS.index(card[0]), seat) for seat, card in trick if card[1] == counting]
            if in_it:
                return max(in_it)[1]
        raise AssertionError('no card of the suit that counts')

    def points(self):
        totals = [0, 0]
        for winner, cards in self.won:
            for card in cards:
                if card[1] == self.trump and card[0] in VALUES:
                    seat = self.low_holder if card[0] == '2' and self.rules.low == 'dealt' else winner
                    totals[seat % 2] += VALUES[card[0]]
        return totals

    def scores(self):
        points, bidder = self.points(), self.bidder()
        bid = self.bids[bidder]
        scores = list(points)
        if points[bidder % 2] < bid:
            scores[bidder % 2] = -bid
        elif bid == 9 and self.rules.nine_doubled:
            scores[bidder % 2] = 18
        return [scores[seat % 2] for seat in range(4)]


def features(game, seat):
    """Return the 504 published features that a seat sees, as a list of zeros and ones."""
    seats = [(seat + i) % 4 for i in range(4)]
    trick = game.tricks[-1] if game.tricks and len(game.tricks[-1]) < 4 else []
    played = [{text for who, text in game.moves if who == other and len(text) == 2} for other in seats]
    out = []
    for other in seats:
        bid = game.bids.get(other)
        out += [int(bid == 0)] + [int(bid == height) for height in range(3, 10)]
    out += [int(game.trump == suit) for suit in SUITS]
    for other in seats:
        out += [int((other, card_of(i)) in trick) for i in range(52)]
    out += [int(card_of(i) in game.hands[seat]) for i in range(52)]
    for cards in played:
        out += [int(card_of(i) in cards) for i in range(52)]
    return out


def own_features(game, seat):
    """Return the features that the published ones lack."""
    seats = [(seat + i) % 4 for i in range(4)]
    over = [[card for _, card in trick] for trick in game.tricks if len(trick) == 4][:5]
    lacked = [None] * 4
    if game.trump:
        lacked = [6 - min(6, len([card for card in hand if card[1] == game.trump])) for hand in game.dealt]
    leader = None
    if game.trump and not game.is_over():
        going = game.tricks and len(game.tricks[-1]) < 4
        leader = game.tricks[-1][0][0] if going else game.seat()
    elif game.is_over():
        leader = game.won[-1][0]
    points = game.points() if game.trump else [0, 0]
    out = []
    for who in (game.dealer, game.bidder() if game.bids else None, leader):
        out += [int(other == who) for other in seats]
    out += [int(card_of(i) in game.thrown[seat]) for i in range(52)]
    out += [int(card_of(i) in game.dead) for i in range(52)]
    for other in seats:
        out += [int(lacked[other] == count) for count in range(7)]
    for team in (seat % 2, 1 - seat % 2):
        out += [int(points[team] == count) for count in range(10)]
    for i in range(5):
        out += [int(i < len(over) and card_of(card) in over[i]) for card in range(52)]
    for i in range(5):
        out += [int(i < len(over) and game.won[i][0] == other) for other in seats]
    return out
