"""Finished games: each browser finds its own."""

import asyncio
import json
from random import Random

import pytest

from tests.support.web_client import Client, serving

pytestmark = pytest.mark.anyio
GAMES = {'big2': ['me', 'rule', 'greedy', 'rule'], 'catch5': ['me', 'random', 'random', 'random']}
SECRET = 'k' * 22


def guest(app):
    """Return a browser that has the key."""
    client = Client(app)
    client.cookies['/'] = [('key', SECRET)]
    return client


async def play(client, seed, **order):
    table, _ = await client.begin(**order)
    return (await client.play_out(table, Random(seed)))['over']['record']


async def own(client):
    """Return the ids of a client's games with its seats, its games in the score, and all bytes of both answers."""
    listed, score = await client.get('/api/records'), await client.get('/api/score')
    games = sum(group['games'] for group in score.json()['groups'])
    return {one['id']: one['you'] for one in listed.json()['records']}, games, listed.body + score.body


@pytest.mark.parametrize('limits', [{'key': SECRET}, pytest.param({}, marks=pytest.mark.slow)])
async def test_games_and_scores_are_ones_own(app):
    ann, bob, eve = (guest(app) for _ in range(3))
    played = {
        client: [await play(client, 1, game=game, seats=seats, practice=False) for game, seats in GAMES.items()]
        for client in (ann, bob)
    }
    for client, others in ((ann, bob), (bob, ann)):
        mine, games, sent = await own(client)
        assert mine == dict.fromkeys(played[client], 0)
        assert games == 2
        for other in played[others]:
            assert other.encode() not in sent
    assert (await own(eve))[:2] == ({}, 0)
    for name in played[ann]:
        assert (await eve.get(f'/api/records/{name}')).status == 200, 'the address of a game is a link to share'
    assert (await eve.get(f'/api/records/{"A" * 22}')).status == 404


async def test_records_come_in_and_bad_ones_lose_nothing(tmp_path):
    async with serving(tmp_path / 'old', key=SECRET) as (_, app):
        ann = guest(app)
        names = [await play(ann, seed, game=game, seats=seats) for seed, (game, seats) in enumerate(GAMES.items())]
        games = [(await ann.get(f'/api/records/{name}')).json() for name in names]
        assert [game['you'] for game in games] == [0, 0]
        eve = guest(app)
        assert 'you' not in (await eve.get(f'/api/records/{names[0]}')).json()
        assert await kept(eve, games) == (2, 0, [])  # copies, as her own
        assert (await own(ann))[0] == dict.fromkeys(names, 0)
        assert len((await own(eve))[0]) == 2
        assert await kept(eve, games) == (0, 2, [])
    loser = games[0]['payoffs'].index(min(games[0]['payoffs']))
    forged = [100 if seat == loser else payoff for seat, payoff in enumerate(games[0]['payoffs'])]
    bad = [
        {**games[0], 'payoffs': forged},
        {**games[0], 'big2': 2},
        {**games[0], 'moves': games[0]['moves'][:-1], 'payoffs': None},
        {**games[0], 'seats': None},
        {**games[1], 'rules': 'nothing'},
    ]
    nameless = {key: value for key, value in games[1].items() if key != 'id'} | {'you': 7}
    async with serving(tmp_path / 'new', key=SECRET) as (_, app):
        bob = guest(app)
        added, known, refused = await kept(bob, [*bad, games[0], games[0], nameless], '{"big2":1,"mov')
        assert (added, known) == (2, 1)
        assert [line for line, _ in refused] == [1, 2, 3, 4, 5, 9]
        for (_, error), word in zip(
            refused, ('payoffs', 'format 2', 'not over', 'seats', "'nothing'", 'JSON'), strict=True
        ):
            assert word in error
        mine, counted, _ = await own(bob)
        assert (mine[names[0]], set(mine.values()), counted) == (0, {0}, 2)
        assert await kept(bob, [nameless]) == (0, 1, [])


async def kept(client, games, rest=''):
    """Have records kept, and the rest of a cut file; return how many are new and known, and the lines refused."""
    text = ''.join(f'{json.dumps(game)}\n' for game in games) + rest
    answer = (await client.post('/api/records', {'text': text})).json()
    return answer['added'], answer['known'], [(one['line'], one['error']) for one in answer['refused']]


async def test_marks_say_neither_who_nor_where_else(ann, app):
    names = [await play(ann, seed, game='catch5', seats=GAMES['catch5']) for seed in range(2)]
    [(_, key)] = ann.cookies['/api']
    texts = [(await ann.get(f'/api/records/{name}')).body.decode() for name in names]
    marks = [json.loads(text)['seats'][0]['mark'] for text in texts]
    assert len(set(marks)) == 2
    assert not any(key in text for text in texts)
    eve = Client(app)
    eve.cookies['/api'] = [('browser', marks[0][:22])]
    assert (await own(eve))[0] == {}


@pytest.mark.parametrize('game', GAMES)
async def test_games_of_several_people_belong_to_all_who_sat_even_after_a_restart(tmp_path, game):
    async with serving(tmp_path) as (_, app):
        ann, bob = Client(app), Client(app)
        table, _ = await ann.begin(['me', 'open', *GAMES[game][2:]], game=game)
        await bob.post(f'{table}/seat', {'seat': 1})
    async with serving(tmp_path) as (lobby, app):
        ann.app = bob.app = app
        running = lobby.tables[table.rpartition('/')[2]]
        view, _ = await asyncio.gather(ann.play_out(table, Random(1)), bob.play_out(table, Random(2)))
        name = view['over']['record']
        assert [(await own(client))[0] for client in (ann, bob)] == [{name: 0}, {name: 1}]
        following = (await bob.post(f'{table}/next')).json()
        assert running.next == following['table']
        assert [one.browser for one in lobby.tables[following['table']].people.values()] == [
            one.browser for one in running.people.values()
        ]


@pytest.mark.parametrize(('key', 'listed'), [(None, True), (SECRET, False)])
async def test_games_of_the_terminal_are_listed_where_only_this_machine_can_ask(tmp_path, key, listed):
    async with serving(tmp_path) as (lobby, app):
        name = await play(Client(app), 3)
        file = lobby.archive.files['big2']
    record = json.loads(file.read_text())
    del record['seats'][0]['mark']
    file.write_text(json.dumps(record) + '\n')
    async with serving(tmp_path, key=key) as (_, app):
        eve = guest(app)
        assert (await own(eve))[:2] == (({name: 0}, 1) if listed else ({}, 0))
