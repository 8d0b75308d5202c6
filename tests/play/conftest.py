"""A server in the process of the test, and its first client."""

import pytest

from tests.support.web_client import Client, serving


@pytest.fixture
def anyio_backend():
    return 'asyncio'


@pytest.fixture
def limits():
    """Return the server's limits; tests parametrize this."""
    return {}


@pytest.fixture
async def opened(tmp_path, limits):
    async with serving(tmp_path, **limits) as both:
        yield both


@pytest.fixture
def lobby(opened):
    return opened[0]


@pytest.fixture
def app(opened):
    return opened[1]


@pytest.fixture
def ann(app):
    return Client(app)


@pytest.fixture
def page(people):
    """A practice table of Big 2 at which the person is to move."""
    from tests.support.page_player import deal  # with playwright, which most tests do not need

    page = people.page()
    assert deal(page, own='7/1')
    return page
