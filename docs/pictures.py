"""Make the pictures of README and docs: python -m docs.pictures.

The screenshots of the web page show a fixed deal of each game after some moves by the advice. The moving picture is the
game of the front page, `docs/index.md`.
"""

import re
import shutil
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import rlcard
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

import rlcard_big2
from rlcard_big2.render.pixels import rasterise
from rlcard_big2.render.svg import draw
from tests.support.page_fixtures import BROWSERS, FLAGS, Server

FOLDER = Path(__file__).parent / 'images'
PAGES = {'page': ('/', '7/2', 10), 'catch5': ('/#catch5', '7/1', 12)}  # address, deal, and least number of moves
GAME = {'seed': 7, 'game_rules': 'hong-kong'}
SHOWN, LAST_SHOWN = 1500, 6000  # milliseconds of a position, and of the last one
COLOURS = 64
OPTIONS = {
    'viewport': {'width': 1280, 'height': 800},
    'locale': 'en',
    'color_scheme': 'light',
    'reduced_motion': 'reduce',
}


def play(page: Page, deal: str, plies: int) -> None:
    """Play the deal until a decision after some moves, with advice on and the best move selected."""
    page.get_by_role('radio', name='Medium').check()
    page.locator('.more > summary').click()
    page.get_by_label('Seed/number or deal code').fill(deal)
    page.get_by_role('button', name='Play', exact=True).click()
    screen = page.locator('.table-screen')
    while True:
        expect(screen).to_have_attribute('data-turn', 'mine')
        expect(page.locator('.values .line').first).to_be_visible()
        page.keyboard.press('h')
        expect(page.locator('.live')).to_contain_text('Hint')
        ply = screen.get_attribute('data-ply')
        if int(ply or 0) >= plies:
            return
        page.keyboard.press('Enter')
        expect(screen).not_to_have_attribute('data-ply', re.compile(f'^{ply}$'))


def save(picture: bytes, path: Path) -> None:
    """Write a picture in 256 colours, a quarter of the size."""
    Image.open(BytesIO(picture)).convert('RGB').quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def save_game(path: Path) -> None:
    """Play the game of the front page, and write the position after each play as a moving picture."""
    env = rlcard.make('big2', config=GAME)
    env.set_agents([rlcard_big2.make_agent('big2-dmc', GAME['game_rules']) for _ in range(4)])
    env.run()
    game = env.to_record()
    plies = [0, *(ply for ply, cards in enumerate(game.moves, 1) if cards)]
    frames = [Image.fromarray(rasterise(draw(game.at(ply).scene()))) for ply in plies]
    palette = frames[0].quantize(COLOURS)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    durations = [SHOWN] * len(others) + [LAST_SHOWN]
    first.save(path, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)


def main() -> None:
    """Write the pictures."""
    save_game(FOLDER / 'game.gif')
    program = next(filter(None, map(shutil.which, BROWSERS)))
    FOLDER.mkdir(exist_ok=True)
    expect.set_options(timeout=120_000)  # milliseconds, in which the engine may be compiled
    with TemporaryDirectory() as folder, Server(Path(folder)) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        context = browser.new_context(base_url=server.address, **OPTIONS)
        context.add_init_script("localStorage.setItem('big2.advice', JSON.stringify('on'))")
        for name, (address, deal, plies) in PAGES.items():
            page = context.new_page()
            page.goto(address)
            play(page, deal, plies)
            page.evaluate('document.activeElement.blur()')
            page.wait_for_timeout(1000)  # until a trick that was won is cleared
            save(page.screenshot(), FOLDER / f'{name}.png')
        browser.close()


if __name__ == '__main__':
    main()
