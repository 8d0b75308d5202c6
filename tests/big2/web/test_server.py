"""`big2 serve` as a process: what it prints, how it ends, and what outlives it."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from rlcard_big2.cli import main
from rlcard_kit.files import locked

ROOT = Path(__file__).parents[3]
WAIT = 120  # seconds, on a busy machine that has to compile


def command(*words, program=('-m', 'rlcard_big2')):
    return [sys.executable, *program, 'serve', '--no-browser', '--delay', '0', *map(str, words)]


@contextmanager
def server(folder, *words, port=0):
    """Run a server; yield it with its `address`."""
    with (folder / 'errors').open('a') as errors:
        process = subprocess.Popen(
            command('--port', port, '--data', folder / 'data', *words), stdout=subprocess.PIPE, stderr=errors, text=True
        )
        try:
            line = process.stdout.readline()
            process.address = re.fullmatch(r'Big 2: (http://127\.0\.0\.1:\d+/)\n', line)[1]
            yield process
        finally:
            process.kill()
            process.communicate()


def ask(address, path, body=None, cookie=None):
    """Return the answer as JSON, and the cookie that came with it."""
    headers = {'Content-Type': 'application/json', **({'Cookie': cookie} if cookie else {})}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f'{address}{path}', data, headers), timeout=WAIT) as answer:
        return json.loads(answer.read()), (answer.headers['Set-Cookie'] or '').partition(';')[0]


def test_it_says_one_line_and_ends_with_a_word(tmp_path):
    with server(tmp_path) as process:
        assert ask(process.address, 'api/options')[0]['advisor'] == 'big2-dmc'
        with urlopen(process.address, timeout=WAIT) as page:
            assert b'<title>' in page.read()
        table = ask(process.address, 'api/tables', {'seats': ['me', 'rule', 'rule', 'rule']})[0]['table']
        stream = urlopen(f'{process.address}api/tables/{table}/events', timeout=WAIT)
        assert stream.readline().startswith(b'id: ')
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        stream.close()
        assert process.stdout.read() == ''
    said = (tmp_path / 'errors').read_text()
    assert 'Traceback' not in said
    assert table not in said


def test_a_server_that_is_killed_loses_nothing(tmp_path):
    with server(tmp_path) as first:
        made, cookie = ask(first.address, 'api/tables', {'seats': ['me', 'rule', 'big2-dmc', 'greedy']})
        path = f'api/tables/{made["table"]}'
        while True:
            view, _ = ask(first.address, f'{path}/view', cookie=cookie)
            if view['over'] or len(view['log']) > 12:
                break
            if view['legal'] and view['auto'] is None:
                body = {'ply': view['ply'], 'move': view['legal'][0]}
                view, _ = ask(first.address, f'{path}/moves', body, cookie)
        while not view['over'] and not (view['legal'] and view['auto'] is None):
            view, _ = ask(first.address, f'{path}/view', cookie=cookie)
        first.kill()
        first.wait()
    (file,) = (tmp_path / 'data/tables').iterdir()
    number = int(file.suffixes[0][1:])
    older, half = (file.with_name(f'{made["table"]}.{end}') for end in (f'{number - 1}.json', f'{number + 1}.json.tmp'))
    older.write_text('{}')  # as if the process had been killed between two steps
    half.write_text('{"half')
    broken = file.with_name(f'{"A" * 22}.1.json')
    broken.write_text('{')
    with server(tmp_path, port=first.address.rpartition(':')[2].strip('/')) as second:
        again, _ = ask(second.address, f'{path}/view', cookie=cookie)
        for key in ('log', 'hand', 'legal', 'left', 'you', 'deal', 'to_move', 'rules'):
            assert again[key] == view[key], key
        assert {*file.parent.iterdir()} == {file, broken}
    assert f'{broken} is not a table' in (tmp_path / 'errors').read_text()


@pytest.fixture
def handlers():
    """Restore the handlers of signals that a server sets."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_what_cannot_be_served_gets_one_sentence(tmp_path, capsys, handlers):
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


def test_without_its_libraries_it_says_what_to_install():
    program = ('-c', 'import sys; sys.modules["uvicorn"] = None; from rlcard_big2.cli import main; main()')
    result = subprocess.run(command(program=program), capture_output=True, text=True, timeout=WAIT)
    assert result.returncode == 1
    assert "pip install 'rlcard-big2[play]'" in result.stderr
    assert result.stderr.count('\n') == 1


def test_others_are_let_in_by_name_with_a_warning(tmp_path):
    with (tmp_path / 'errors').open('w') as errors:
        words = ('--host', '0.0.0.0', '--allow-host', 'big2.lan', '--port', 0, '--data', tmp_path / 'data')
        process = subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            found = re.fullmatch(
                r'Big 2: http://big2\.lan:(\d+)/\?key=([A-Za-z0-9_-]{22})\n', process.stdout.readline()
            )
            address = f'http://127.0.0.1:{found[1]}/'
            assert ask(address, 'api/score', cookie=f'key={found[2]}')[0]['groups'] == []
            with pytest.raises(OSError, match='403'):
                ask(address, 'api/score')
        finally:
            process.kill()
            process.communicate()
    assert 'not encrypted' in (tmp_path / 'errors').read_text()


START = """
import sys
from pathlib import Path
from rlcard_big2 import cli as commands
from rlcard_big2.web import server
from rlcard_big2.web.lobby import Lobby
from rlcard_big2.web.rate_limits import Limits
from rlcard_big2.web.routes import new_app
lobby = Lobby(Path(sys.argv[1]), ['rule', 'greedy', 'random'], Limits())
lobby.thread.warm_up()
new_app(lobby)
print(sorted({name.partition('.')[0] for name in sys.modules} & {'torch', 'tyro', 'rich', 'matplotlib', 'pickle5'}))
"""


def test_it_starts_without_torch(tmp_path):
    words = [sys.executable, '-c', START, str(tmp_path)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=WAIT)
    assert result.stdout.strip() == '[]', result.stderr


@pytest.mark.skipif(shutil.which('curl') is None and not os.environ.get('CI'), reason='curl is not installed')
def test_curl_plays_a_game_as_the_page_of_the_server_says(tmp_path):
    text = (ROOT / 'docs/server.md').read_text()
    script = re.search(r'```sh\n(here=.*?)```', text, re.DOTALL)[1]
    with server(tmp_path) as process:
        script = script.replace('http://127.0.0.1:8402', process.address.rstrip('/')).replace('sleep 0.2', 'sleep 0.01')
        result = subprocess.run(['sh', '-c', script], capture_output=True, text=True, cwd=tmp_path, timeout=WAIT)
    record = json.loads(result.stdout)
    assert sum(record['payoffs']) == 0
    assert record['seats'][0] == {'name': 'Player', 'kind': 'person'}


def test_it_listens_to_this_machine_alone(tmp_path):
    with server(tmp_path) as process:
        port = int(process.address.rpartition(':')[2].strip('/'))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(('192.0.2.1', 9))  # sends nothing; tells this machine's address
            own = probe.getsockname()[0]
        if not own.startswith('127.'):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection((own, port), 5)
