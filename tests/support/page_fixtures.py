"""A server, a browser and people with pages open, for the tests of the page."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

FLAGS = [
    '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync',
]  # fmt: skip
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome')
ADDRESS = re.compile(r'^Big 2: (http://\S+)/$', re.MULTILINE)
SECONDS = 20  # for a page to do something, on a busy machine
PATIENCE = 240.0  # seconds for a server to start; the engine may have to be compiled
ROOT = Path(__file__).parents[2]


class Server:
    """`big2 serve` in a process of its own, whose output goes to a file."""

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / 'log'
        self.start()

    def start(self, port=0):
        """Start it, on the port that it had if that is given."""
        command = [sys.executable, '-m', 'rlcard_big2', 'serve', '--no-browser', '--delay', '0']
        with self.log.open('w') as log:
            self.process = subprocess.Popen(
                [*command, '--port', str(port), '--data', str(self.folder / 'data')],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT,
            )  # fmt: skip
        end = monotonic() + PATIENCE
        while (found := ADDRESS.search(self.log.read_text())) is None:
            assert self.process.poll() is None, self.log.read_text()
            if monotonic() > end:
                self.kill()
            sleep(0.05)
        self.address = found[1]

    @property
    def port(self):
        return int(self.address.rpartition(':')[2])

    def kill(self):
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.stop()


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp('server')) as started:
        yield started


@pytest.fixture(scope='module')
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        refuse = pytest.fail if os.environ.get('CI') == 'true' else pytest.skip
        refuse(f'there is none of {", ".join(BROWSERS)}')
    from playwright.sync_api import expect, sync_playwright  # here, since most tests do without

    expect.set_options(timeout=SECONDS * 1000)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


class People:
    """Opens browsers of their own for people; notes what went wrong in them, and what they asked of others."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address
        self.contexts = []
        self.problems = []
        self.foreign = []

    def person(self, width=1280, height=800, language='en-GB', base=None, **settings):
        """Return the context of somebody who was never here."""
        settings = {'viewport': {'width': width, 'height': height}, 'locale': language, **settings}
        context = self.browser.new_context(base_url=base or self.address, **settings)
        context.set_default_timeout(SECONDS * 1000)
        context.on('page', self._watch)
        self.contexts.append(context)
        return context

    def page(self, path='/', **settings):
        """Return a page of somebody who was never here."""
        page = self.person(**settings).new_page()
        page.goto(path)
        return page

    def _watch(self, page):
        page.on('pageerror', lambda error: self.problems.append(str(error)))
        page.on('console', lambda message: message.type == 'error' and self.problems.append(message.text))
        page.on('request', self._heard)

    def _heard(self, request):
        if not request.url.startswith((self.address, 'data:')):
            self.foreign.append(request.url)

    def close(self):
        for context in self.contexts:
            context.close()


@pytest.fixture
def people(browser, server):
    """Open pages; nothing may go wrong in them, and nothing be asked of anybody but the server."""
    opened = People(browser, server.address)
    yield opened
    opened.close()
    assert opened.problems == []
    assert opened.foreign == []
