"""Build the page: the script of the server's page, tables in place of its routes, the engine, and facts as JSON."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from page.constants import CONSTANTS, PART
from rlcard_big2.engine.actions import ACTION_MASKS, PASS_ID
from rlcard_big2.models import SHIPPED as BIG2_MODELS
from rlcard_big2.notation import KIND_NAMES
from rlcard_big2.rules import RANKS, STRAIGHT_ORDERS
from rlcard_catch5.models import SHIPPED as CATCH5_MODELS
from rlcard_kit.files import checksum
from rlcard_kit.nets.checkpoint import NETWORK
from rlcard_kit.nets.zoo import ModelZoo
from rlcard_kit.version import __version__
from rlcard_play.big2.views import HANDS
from rlcard_play.games import GAMES
from rlcard_play.study.played import PlayedGame
from rlcard_play.study.puzzles import about_puzzle, read_puzzles
from rlcard_play.web.bundle import STATIC, bundle, page_script, sources_of, style_sheet
from rlcard_play.web.rate_limits import Limits
from rlcard_play.web.tables import as_json
from wasm.constants import write_constants

HERE = Path(__file__).parent
MODELS = {'big2': BIG2_MODELS, 'catch5': CATCH5_MODELS}
OUT = HERE / 'build'
UNUSED = '*.d.ts', 'package.json'  # of the engine
WORKERS = 'local/worker.js', 'local/thinker.js', 'local/offline.js'
ROOT_FILES = 'service-worker.js', 'manifest.webmanifest'
NAMING = 'index.html', 'manifest.webmanifest'  # files that name others
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)
RUNS = {
    name: [RANKS[start : start + 5] for start in map(RANKS.index, starts)] for name, starts in STRAIGHT_ORDERS.items()
}
OF_RULES = {'big2': {'straights': RUNS, 'hands': HANDS}}  # facts of custom rules, with combinations.bin
# What the service worker keeps only once it was asked for: all but a hundred puzzles of a game, and networks of other
# rules than the page's own.
LATER = re.compile(r'puzzles\.\w+\.(?![01]?\.?json)|combinations\.|engine/(?!big2-dmc-tables|catch5-ppo).*-')


def build(folder: Path, delay: float = Limits.delay, engine: Path | None = None) -> int:
    """Write the page; return the bytes, compressed, of what every visitor loads.

    Args:
        folder: replaced if it exists.
        delay: seconds before an agent moves.
        engine: the folder of an engine that was built, see `wasm`; by default one is built.
    """
    shutil.rmtree(folder, ignore_errors=True)
    static = folder / 'static'
    shutil.copytree(STATIC, static)
    for key, game in GAMES.items():
        shutil.copytree(game.static, static / key)
    shutil.copytree(HERE / 'local', static / 'local')
    (static / 'local/transport.js').replace(static / 'transport.js')
    for name in ROOT_FILES:
        (static / 'local' / name).replace(folder / name)
    for file in (HERE / 'strings').iterdir():
        shared = static / 'strings' / file.name
        shared.write_text(as_json({**_read(shared), **_read(file)}), encoding='utf-8')
    for name, value in _data(delay).items():
        _write(static / 'local/data' / f'{name}.json', value)
    write_constants(CONSTANTS, static / 'local/data')
    masks = ACTION_MASKS[:PASS_ID].view(np.uint8).reshape(-1, 8).T  # all low bytes first, which compress
    (static / 'local/data/combinations.bin').write_bytes(gzip.compress(masks.tobytes(), mtime=0))
    if engine:
        shutil.copytree(engine, static / 'engine')
    else:  # in another process: one that compiles kernels to WebAssembly cannot run them
        subprocess.run([sys.executable, '-m', 'wasm', static / 'engine'], check=True, cwd=HERE.parent)
    for file in (file for pattern in UNUSED for file in (static / 'engine').glob(pattern)):
        file.unlink()
    _bundle(static)
    _write_index(static / 'index.html', folder / 'index.html')
    version = _digest(folder)
    named = static.rename(folder / f'static-{version}')  # so that files of two versions never have one address
    for name in NAMING:
        text = (folder / name).read_text(encoding='utf-8').replace('"static/', f'"{named.name}/')
        (folder / name).write_text(text, encoding='utf-8')
    return _list_files(folder, version)


def _digest(folder: Path) -> str:
    """Return the version of the page: a digest of the names and contents of all files."""
    found = sha256()
    for path in sorted(path for path in folder.rglob('*') if path.is_file()):
        found.update(f'{path.relative_to(folder).as_posix()} {checksum(path)}\n'.encode())
    return found.hexdigest()[:16]


def _read(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding='utf-8'))
    return found


def _write(file: Path, value: Any) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(as_json(value), encoding='utf-8')


def _data(delay: float) -> dict[str, Any]:
    """Return what Python knows and the page does not compute, by the name of its file."""
    options = [game.options() for game in GAMES.values()]
    found = {'options': {**options[0], 'games': options, 'version': __version__, 'delay': delay}}
    for key, game in GAMES.items():
        rules = {name: game.rule_facts(rules) for name, rules in game.rules.presets().items()}
        networks = _networks(MODELS[key], game.advisor)
        facts = {'kinds': KIND_NAMES, 'rules': rules, 'networks': networks}
        found[f'facts.{key}'] = facts | OF_RULES.get(key, {})
        found |= _puzzles(game)
    return found


def _networks(models: ModelZoo, agent: str) -> list[dict[str, Any]]:
    return [
        {'name': folder.name, 'fields': rules and rules.fields(), 'weights': f'sha256:{checksum(folder / NETWORK)}'}
        for folder, rules in models.rules(agent).items()
    ]


def _puzzles(game: PlayedGame) -> dict[str, Any]:
    """Return the list of the puzzles, and in parts each position, the moves that are right, and the answer to any."""
    puzzles = read_puzzles(game.puzzles, game.records)
    listed = [{'id': name, 'game': game.key, **about_puzzle(puzzle)} for name, puzzle in puzzles.items()]
    found: dict[str, Any] = {f'puzzles.{game.key}': listed}
    advisor = game.make_advisor(game.advisor, game.rules.preset(game.default_rules))
    for i, puzzle in enumerate(puzzles.values()):
        advice, view = advisor.advise(game.open_position(puzzle)), game.position_view(puzzle, puzzle.player)
        about = {'best': puzzle.extra['best'], 'agent': advisor.name, 'deep': puzzle.extra.get('deep')}
        one = {
            'position': view,
            'right': [move for move in view['legal'] if game.is_right(puzzle, move, advice)],
            'answer': {
                **about,
                **game.advice_json(advisor, advice, puzzle.rules),
                'record': game.records.to_dict(puzzle),
            },
        }
        found.setdefault(f'puzzles.{game.key}.{i // PART}', []).append(one)
    return found


def _bundle(static: Path) -> None:
    """Write the scripts and the style sheet that the page loads in place of what they are made of."""
    sources = sources_of({}, static)
    files = {
        'page.js': page_script(sources, GAMES),
        'page.css': style_sheet(sources, GAMES),
        **{name: bundle(name, sources) for name in WORKERS},
    }
    for path in sources.values():
        if path.suffix in ('.js', '.css'):
            path.unlink()
    for name, text in files.items():
        (static / name).write_text(text, encoding='utf-8')


def _write_index(given: Path, file: Path) -> None:
    """Write the first file: the server's, with its policy."""
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<link rel="manifest" href="manifest.webmanifest">',
        '<script type="module" src="static/local/offline.js"></script>',
    ]
    text = given.read_text(encoding='utf-8').replace('</title>', '</title>\n    ' + '\n    '.join(head))
    notice = '<p class="lost" id="notice" role="alert" hidden></p>'
    file.write_text(text.replace('<main', f'{notice}\n    <main'), encoding='utf-8')
    given.unlink()


def _list_files(folder: Path, version: str) -> int:
    """Write the files and their version into the service worker; return the compressed size of its first load."""
    worker = folder / 'service-worker.js'
    files = sorted(path for path in folder.rglob('*') if path.is_file() and path != worker)
    first = [path for path in files if not LATER.search(path.relative_to(folder).as_posix())]
    names = ["'./'", *(f"'{path.relative_to(folder).as_posix()}'" for path in first if path.name != 'index.html')]
    text = worker.read_text(encoding='utf-8').replace('@version@', version)
    worker.write_text(text.replace("'@files@'", ', '.join(names)), encoding='utf-8')
    return sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in [worker, *first])
