"""Take the screenshot of the web page for README and docs: python -m docs.pictures.

It starts the server, plays the first moves of a fixed deal by the advice, and saves the page.
"""

import re
import shutil
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.support.page_fixtures import BROWSERS, FLAGS, Server

FOLDER = Path(__file__).parent / 'images'
DEAL = '7/2'
PLIES = 17  # moves of the game before the picture is taken
OPTIONS = {
    'viewport': {'width': 1280, 'height': 800},
    'locale': 'en',
    'color_scheme': 'light',
    'reduced_motion': 'reduce',
}


def play(page: Page) -> None:
    """Play the deal until a decision after some moves, with advice on and the best move selected."""
    page.get_by_text('Custom deal', exact=True).click()
    page.get_by_label('Seed/number or deal code').fill(DEAL)
    page.get_by_role('button', name='Deal', exact=True).click()
    screen = page.locator('.table-screen')
    while True:
        expect(screen).to_have_attribute('data-turn', 'mine')
        expect(page.locator('.values .line').first).to_be_visible()
        page.keyboard.press('h')
        expect(page.locator('.live')).to_contain_text('Hint')
        ply = screen.get_attribute('data-ply')
        if int(ply or 0) >= PLIES:
            return
        page.keyboard.press('Enter')
        expect(screen).not_to_have_attribute('data-ply', re.compile(f'^{ply}$'))


def save(picture: bytes, path: Path) -> None:
    """Write a picture in 256 colours, a quarter of the size."""
    Image.open(BytesIO(picture)).convert('RGB').quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    """Write the pictures."""
    program = next(filter(None, map(shutil.which, BROWSERS)))
    FOLDER.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, Server(Path(folder)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        context = browser.new_context(base_url=server.address, **OPTIONS)
        context.add_init_script("localStorage.setItem('big2.advice', JSON.stringify('on'))")
        page = context.new_page()
        page.goto('/')
        play(page)
        page.evaluate('document.activeElement.blur()')
        save(page.screenshot(), FOLDER / 'page.png')
        browser.close()


if __name__ == '__main__':
    main()
