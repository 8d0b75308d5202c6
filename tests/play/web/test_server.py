"""`big2 serve` as a process: output, shutdown, restart, and options."""

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread
from urllib.request import Request, urlopen

import pytest
import rlcard
import uvicorn

from rlcard_big2 import make_agent, records
from rlcard_kit.files import locked
from rlcard_play.cli import big2 as main
from rlcard_play.study.seated_game import play_out
from rlcard_play.web import server as server_module
from tests.support.limits import PATIENCE
from tests.support.page_fixtures import Server

ROOT = Path(__file__).parents[3]
ASK = b'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
SILENT = b'', b'GET / HT', ASK, b'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'


def ask(server, path, body=None, cookie=None):
    """Return the response as JSON, and its cookie."""
    headers = {'Content-Type': 'application/json', **({'Cookie': cookie} if cookie else {})}
    data = None if body is None else json.dumps(body).encode()
    address = f'http://127.0.0.1:{server.port}/{path}'
    with urlopen(Request(address, data, headers), timeout=PATIENCE) as answer:
        return json.loads(answer.read()), (answer.headers['Set-Cookie'] or '').partition(';')[0]


@pytest.fixture(scope='module')
def finished_game():
    """The record of a game, as JSON."""
    env = rlcard.make('big2', {'seed': 3})
    env.reset()
    play_out(env, [make_agent('rule')] * 4)
    return records.to_dict(env.to_record())


def test_it_prints_one_line_and_closes_its_streams(tmp_path):
    with Server(tmp_path) as server:
        table = ask(server, 'api/tables', {'seats': ['me', 'rule', 'rule', 'rule']})[0]['table']
        stream = urlopen(f'{server.address}/api/tables/{table}/events', timeout=PATIENCE)
        assert stream.readline().startswith(b'id: ')
        assert server.stop() == (130, '')
        stream.close()
    errors = server.errors.read_text()
    assert 'Traceback' not in errors
    assert table not in errors


@pytest.mark.parametrize(('ignored', 'ending'), [((signal.SIGHUP, signal.SIGINT), signal.SIGTERM), ((), signal.SIGHUP)])
def test_a_signal_ends_it_in_order_amid_an_analysis_unless_it_is_ignored(tmp_path, finished_game, ignored, ending):
    earlier = {number: signal.getsignal(number) for number in (signal.SIGHUP, signal.SIGINT)}
    try:
        for number in earlier:
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)  # which it inherits
        server = Server(tmp_path)
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
    with server, ThreadPoolExecutor(1) as threads:
        for number in ignored:
            server.process.send_signal(number)
        assert ask(server, 'api/options')
        answer = threads.submit(ask, server, 'api/analyse', {'record': finished_game, 'confirm': True})
        time.sleep(0.5)
        server.process.send_signal(ending)
        assert server.process.wait(PATIENCE) == 128 + ending
        assert answer.exception() is None or '503' in str(answer.exception())
    assert 'Traceback' not in server.errors.read_text()


@pytest.mark.attack('killed or interrupted processes')
def test_a_killed_server_loses_nothing(tmp_path):
    with Server(tmp_path) as server:
        made, cookie = ask(server, 'api/tables', {'seats': ['me', 'rule', 'big2-dmc', 'greedy']})
        path = f'api/tables/{made["table"]}'
        view, _ = ask(server, f'{path}/view', cookie=cookie)
        while not view['over'] and not (len(view['log']) > 12 and view['legal'] and view['auto'] is None):
            if view['legal'] and view['auto'] is None:
                ask(server, f'{path}/moves', {'ply': view['ply'], 'move': view['legal'][0]}, cookie)
            view, _ = ask(server, f'{path}/view', cookie=cookie)
        server.kill()
        numbers = {int(file.suffixes[0][1:]): file for file in (server.data / 'tables').iterdir()}
        number, file = max(numbers.items())
        assert set(numbers) == {1, number}, 'the first one is surely on the disk'
        ends = {f'{number - 1}.json': '{}', f'{number + 1}.json': '', f'{number + 1}.json.tmp': '{"half'}
        for end, text in ends.items():  # killed while saving
            file.with_name(f'{made["table"]}.{end}').write_text(text)
        broken = file.with_name(f'{"A" * 22}.1.json')
        broken.write_text('{')
        server.start(server.port)
        again, _ = ask(server, f'{path}/view', cookie=cookie)
        for key in ('log', 'hand', 'legal', 'left', 'you', 'deal', 'to_move', 'rules'):
            assert again[key] == view[key], key
        assert {*file.parent.iterdir()} == {file, broken, file.with_name(f'{made["table"]}.{number + 1}.json')}
    assert str(broken) in server.errors.read_text()


def test_wrong_options_are_named_in_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(signal, 'signal', lambda number, handler: None)
    with socket.socket() as taken, locked(tmp_path / 'locked'):
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        file = tmp_path / 'file'
        file.write_text('')
        new = ('--port', 0, '--data', tmp_path / 'new')
        for words, datum in (
            ((*new, '--port', taken.getsockname()[1]), 'Address already in use'),
            ((*new, '--data', file), 'file'),
            ((*new, '--data', file / 'inside'), 'Not a directory'),
            ((*new, '--data', tmp_path / 'locked'), 'locked'),
            ((*new, '--agent', 'nobody'), "'nobody'"),
            ((*new, '--host', '0.0.0.0'), '--allow-host'),
            ((*new, '--host', '0.0.0.0', '--allow-host', 'http://x/'), "'http://x/'"),
        ):
            with pytest.raises(SystemExit) as end:
                main(['serve', '--no-browser', *map(str, words)])
            assert str(end.value).startswith('big2 serve: ')
            assert '\n' not in str(end.value)
            assert datum in str(end.value)
            assert capsys.readouterr().out == ''


def test_missing_libraries_are_named():
    program = 'import sys; sys.modules["uvicorn"] = None; from rlcard_play.cli import big2; big2(["serve"])'
    result = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=PATIENCE)
    assert result.returncode == 1
    assert "pip install 'rlcard-big2[play]'" in result.stderr
    assert result.stderr.count('\n') == 1


def test_others_need_the_name_and_the_key(tmp_path):
    with Server(tmp_path, '--host', '0.0.0.0', '--allow-host', 'big2.lan') as server:
        assert server.address.startswith('http://big2.lan:')
        assert ask(server, 'api/score', cookie=f'key={server.key}')[0]['groups'] == []
        with pytest.raises(OSError, match='403'):
            ask(server, 'api/score')


START = """
import sys
from rlcard_play.games import GAMES
from rlcard_play.web import server
from rlcard_play.web.advisor_thread import AdvisorThread
AdvisorThread(GAMES).warm_up()
print(sorted({name.partition('.')[0] for name in sys.modules} & {'torch', 'tyro', 'rich', 'matplotlib', 'pickle5'}))
"""


def test_it_starts_without_torch():
    result = subprocess.run([sys.executable, '-c', START], capture_output=True, text=True, timeout=PATIENCE)
    assert result.stdout.strip() == '[]', result.stderr


@pytest.mark.skipif(shutil.which('curl') is None and not os.environ.get('CI'), reason='curl is not installed')
def test_curl_plays_the_game_of_the_documentation(tmp_path, server):
    text = (ROOT / 'docs/server.md').read_text()
    script = re.search(r'```sh\n(here=.*?)```', text, re.DOTALL)[1]
    script = script.replace('http://127.0.0.1:8402', server.address).replace('sleep 0.2', 'sleep 0.01')
    result = subprocess.run(['sh', '-c', script], capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE)
    record = json.loads(result.stdout)
    assert sum(record['payoffs']) == 0
    person = record['seats'][0]
    assert (person['name'], person['kind']) == ('Player', 'person')


BROKEN = [  # requests, and whether an answer has begun before they break
    (b'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', b'zz\r\n', False),
    (b'GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n', b'zz\r\n', True),
    (b'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{', b'', True),
]


@pytest.mark.parametrize(('start', 'end', 'waits'), BROKEN)
def test_a_broken_request_ends_without_a_traceback(caplog, start, end, waits):
    async def app(scope, receive, send):
        await send({'type': 'http.response.start', 'status': 200, 'headers': []})
        await send({'type': 'http.response.body', 'body': b'beginning', 'more_body': True})
        await receive()
        await send({'type': 'http.response.body', 'body': b'end'})

    with running(app) as address, socket.create_connection(address, PATIENCE) as client:
        client.sendall(start if waits else start + end)
        if waits:
            client.recv(10)
            client.sendall(end)
        client.shutdown(socket.SHUT_WR)
        while client.recv(1000):
            pass
    assert [entry for entry in caplog.records if entry.exc_info] == []


@contextmanager
def running(app, most=64):
    """Run a server of an application in a thread; yield its address."""
    config = uvicorn.Config(app, http=server_module.limited_protocol(most), lifespan='off', log_config=None)
    server = uvicorn.Server(config)
    with socket.create_server(('127.0.0.1', 0)) as listener:
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield listener.getsockname()
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def limited(monkeypatch):
    """Serve eight connections, four of each client; yield an event that ends busy requests, and a way to connect."""
    monkeypatch.setattr(server_module, 'MAX_CONNECTIONS', 8)
    released, clients = Event(), SimpleQueue()
    monkeypatch.setattr(server_module, 'client_of', lambda address: clients.get())

    async def app(scope, receive, send):
        while (await receive()).get('more_body'):
            pass
        if scope['path'] == '/busy':
            await asyncio.to_thread(released.wait)
        await send({'type': 'http.response.start', 'status': 200, 'headers': [(b'content-length', b'0')]})
        await send({'type': 'http.response.body', 'body': b''})

    with running(app, 4) as address, ExitStack() as stack:

        def connect(client, data):
            clients.put(client)
            made = stack.enter_context(socket.create_connection(address, PATIENCE))
            made.sendall(data)
            assert data != ASK or made.recv(1024).startswith(b'HTTP/1.1 200')
            return made

        stack.callback(released.set)
        yield released, connect


def is_closed(connection):
    """Return whether the other side has closed a connection, without waiting for it."""
    connection.setblocking(False)
    try:
        return connection.recv(1) == b''
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


@pytest.mark.attack('silent connections')
def test_the_longest_silent_connection_makes_room(limited, record_property):
    released, connect = limited
    busy = connect('busy', ASK.replace(b'/', b'/busy', 1))
    silent = [connect(i // 4, SILENT[i % 4]) for i in range(12)]
    record_property('tries', len(silent))
    connect('new', ASK)
    assert [i for i, one in enumerate(silent) if is_closed(one)] == [0, 1, 2, 3, 4, 5]
    connect(2, ASK)
    assert [i for i, one in enumerate(silent) if is_closed(one)] == [0, 1, 2, 3, 4, 5, 8], 'its own'
    released.set()
    assert busy.recv(1024).startswith(b'HTTP/1.1 200')


def test_silent_connections_end(limited, monkeypatch):
    monkeypatch.setattr(server_module, 'HEAD_SECONDS', 0.2)
    _, connect = limited
    assert [connect(1, data).recv(1) for data in SILENT[:2]] == [b'', b'']


def test_it_listens_to_this_machine_only(server):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(('192.0.2.1', 9))  # sends nothing; finds this machine's address
        own = probe.getsockname()[0]
    if not own.startswith('127.'):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((own, server.port), 5)
