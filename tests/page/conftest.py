"""The page without a server: built once, and served from a folder of a host of files."""

import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from page.build import build
from tests.support.engine_fixtures import build_once
from tests.support.page_fixtures import people_at

PLACE = 'games/cards'  # the page works in any folder


class Handler(SimpleHTTPRequestHandler):
    """Serves files, and logs nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope='session')
def built(tmp_path_factory, engine):
    """Return a folder with the page."""
    return build_once(tmp_path_factory, 'host', lambda folder: build(folder / PLACE, 0, engine))


@contextmanager
def serving(folder):
    """Serve the files of a folder at the address that is yielded."""
    with ThreadingHTTPServer(('127.0.0.1', 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f'http://127.0.0.1:{server.server_port}/'
        server.shutdown()


@pytest.fixture(scope='session')
def host(built):
    """Return the address of the page."""
    with serving(built) as address:
        yield f'{address}{PLACE}/'


@pytest.fixture
def people(browser, host):
    with people_at(browser, host) as opened:
        yield opened
