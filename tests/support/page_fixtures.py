"""A server process, a browser and its users, for tests of the page."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.limits import PAGE_PATIENCE, PATIENCE

FLAGS = [
    '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync',
]  # fmt: skip
BROWSERS = ('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')
ADDRESS = re.compile(r'Big 2: (http://\S+?:(\d+))/(?:\?key=([A-Za-z0-9_-]{22}))?\n')
ROOT = Path(__file__).parents[2]


class Server:
    """`big2 serve` in a process of its own; standard error goes to a file."""

    def __init__(self, folder, *words):
        self.words = words
        self.errors = folder / 'errors'
        self.data = folder / 'data'
        self.start()

    def start(self, port=0):
        """Start it, and read its address."""
        words = map(str, ('--port', port, '--data', self.data, *self.words))
        command = [sys.executable, '-m', 'tests.support.same_deal', 'serve', '--no-browser', '--delay', '0', *words]
        with self.errors.open('a') as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT
            )
        line = self.process.stdout.readline()
        found = ADDRESS.fullmatch(line)
        assert found, line + self.errors.read_text()
        self.address, self.port, self.key = found.groups()

    def kill(self):
        """Kill it without a chance to save anything."""
        self.process.kill()
        self.process.communicate()

    def stop(self):
        """Interrupt it; return its exit status, and the rest of its output."""
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, rest

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.kill()


@pytest.fixture(scope='session')
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp('server')) as started:
        yield started


@pytest.fixture(scope='module')  # its event loop runs until it is closed
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        refuse = pytest.fail if os.environ.get('CI') == 'true' else pytest.skip
        refuse(f'there is none of {", ".join(BROWSERS)}')
    from playwright.sync_api import expect, sync_playwright  # here, because most tests do not need it

    expect.set_options(timeout=PAGE_PATIENCE * 1000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


class People:
    """Opens a browser context for each person; collects errors, and requests to other hosts."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address
        self.problems = []
        self.foreign = []

    def page(self, path='/', width=1280, height=800, language='en-GB', **settings):
        """Return a page in a new browser context, which asks for no motion, since frames cost a third of the time."""
        settings.setdefault('reduced_motion', 'reduce')
        size = {'width': width, 'height': height}
        context = self.browser.new_context(base_url=self.address, viewport=size, locale=language, **settings)
        context.set_default_timeout(PAGE_PATIENCE * 1000)
        context.on('page', self._watch)
        page = context.new_page()
        page.goto(path)
        return page

    def _watch(self, page):
        page.on('pageerror', self._erred)
        page.on('console', self._said)
        page.on('request', self._heard)

    def _said(self, message):
        """Note an error, but not of advice that came too late: `play_out` moves while the page asks."""
        text = f'{message.text} {message.location["url"]}'
        if message.type == 'error' and not ('409' in text and '/advice' in text):
            self.problems.append(text)

    def _erred(self, error):
        """Note an error, but not of a script of the browser's or of Playwright's own, whose traces have no address."""
        if not error.stack or 'http://' in error.stack:
            self.problems.append(error.stack or str(error))

    def _heard(self, request):
        if not request.url.startswith((self.address, 'data:')):
            self.foreign.append(request.url)


@contextmanager
def people_at(browser, address):
    """Open pages of an address; fail on errors in them, and on requests to other hosts."""
    opened = People(browser, address)
    yield opened
    for context in browser.contexts:
        context.close()
    assert opened.problems == []
    assert opened.foreign == []


@pytest.fixture
def people(browser, server):
    with people_at(browser, server.address) as opened:
        yield opened
