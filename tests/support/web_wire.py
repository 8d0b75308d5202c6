"""Games with a check of every byte sent: it may name only cards known to its reader."""

import asyncio
import re
from contextlib import AsyncExitStack
from random import Random

from rlcard_big2.cards import RANKS, SUITS
from tests.support.web_client import TICK, Client, parts_of

CARD = re.compile(rf'(?<![A-Za-z0-9_-])([{RANKS}])([{SUITS}])(?![A-Za-z0-9_-])', re.IGNORECASE)
# Ids, tokens and commitments; the examples of errors, which are always the same; and a word of a note.
OPAQUE = re.compile(r"[A-Za-z0-9_-]{18,}|such as \w\w or TS|such as 'bid 4'|or '5h'|as trumps|as if everybody")
DECK = [rank + suit for rank in RANKS for suit in SUITS]


class LeakError(AssertionError):
    """A client was sent a card that is neither in its hand nor played."""


class Reader(Client):
    """A client that checks every byte as it arrives."""

    table = None  # where it sits or watches, once that is known
    seat = None  # its own; None for a spectator

    def _keep(self, message, asked=''):
        super()._keep(message, asked)
        if self.table is not None and not self.table.game.is_over:
            for part in parts_of(message):
                self.check(part, asked)

    def check(self, part, asked):
        """Raise LeakError if a part names a hidden card or the deal, except as an echo of the request."""
        text = part.decode('utf-8', 'replace')
        game = self.table.game
        code = self.table.code
        for secret in (code, code[-16:], self.table.nonce, game.id):  # the word of a refill comes last
            if secret in text:
                raise LeakError(f'seat {self.seat} was sent {secret}')
        own = [] if self.seat is None else own_cards(game.env.game, self.seat)
        if game.ply != self.table.looked:
            self.table.looked = game.ply
            self.table.shown.update(card for _, move in game.trace for card in move.split())
            self.table.shown.update(game.state['raw_obs'].get('dead_cards', '').split())
        hidden = cards_in(OPAQUE.sub('', text)) - {*own, *self.table.shown, *cards_in(asked)}
        if hidden:
            raise LeakError(f'seat {self.seat} was sent {hidden} in {text[:2000]}')


def own_cards(game, seat):
    """Return the cards that a seat has seen besides those played: its hand; in Catch Five also its discards."""
    player = game.players[seat]
    return f'{player.current_hand} {getattr(player, "thrown_cards", "")}'.split()


def cards_in(text):
    """Return the cards named in a text."""
    return {rank.upper() + suit.lower() for rank, suit in CARD.findall(text)}


async def play_and_read(lobby, app, random, game):
    """Play a game with people in some seats and a spectator, with all kinds of mistakes; return the bytes read."""
    played = lobby.games[game]
    rules = random.choice(played.options()['rules'])
    people = random.randint(1, rules['seats'])
    agents = (random.choice(rules['agents'][1:]) for _ in range(rules['seats'] - people))
    seats = ['me', *['open'] * (people - 1), *agents]
    random.shuffle(seats)
    readers, rules = [Reader(app) for _ in range(people + 1)], rules['name']
    address, view = await readers[0].begin(seats, game=game, rules=rules, practice=random.random() < 0.7)
    table = lobby.tables[view['table']]
    table.shown, table.looked = set(), 0  # cards ever played or seen by all, including moves taken back
    readers[0].seat = view['you']
    for reader in readers:
        reader.table = table
    for reader in readers[1:-1]:
        reader.seat = table.open_seats()[0]
        assert (await reader.post(f'{address}/seat', {'seat': reader.seat})).status == 200
    sitting = {reader.seat: reader for reader in readers[:-1]}
    async with AsyncExitStack() as streams:
        for reader in readers:
            await streams.enter_async_context(reader.listening(address))
        while not table.game.is_over:
            await _turn(table, address, sitting, readers, random)
    return sum(len(part) for reader in readers for part in reader.received)


async def _turn(table, address, sitting, readers, random):
    """Make one action of a person."""
    player, ply = table.game.player, table.game.ply
    if random.random() < 0.3:
        await _pry(random.choice(readers), address, ply, random)
    if player not in sitting:
        await asyncio.sleep(TICK)
        return
    reader, chance = sitting[player], random.random()
    if chance < 0.1:
        await reader.get(f'{address}/advice')
    elif chance < 0.15:
        await reader.post(f'{address}/takeback', {'ply': ply})
    elif chance < 0.2:
        await reader.get(f'{address}/why?move=' + '+'.join(random.sample(DECK, random.randint(1, 5))))
    elif table.game.ply == ply and table.game.legal:
        await reader.post(f'{address}/moves', {'ply': ply, 'move': random.choice(table.game.legal)})


async def _pry(reader, address, ply, random):
    """Make a forbidden or invalid request."""
    names = ('view', 'advice', 'record', 'why?move=pass', 'advice?deep=1', 'nothing', 'events')
    if random.random() < 0.5:
        name = random.choice(names[:-1])
        await reader.get(f'{address}/{name}')
    else:
        hidden = random.choice(DECK) if reader.table.practice else 'pass'
        body = {'ply': ply + random.randint(-1, 1), 'move': 'pass' if hidden in reader.table.shown else 'zz'}
        await reader.post(f'{address}/{random.choice(("moves", "takeback", "seat"))}', body)


async def play_games(lobby, app, count, seed, game='big2'):
    """Play games and check every byte; return the number of bytes."""
    random = Random(seed)
    return sum([await play_and_read(lobby, app, random, game) for _ in range(count)])
