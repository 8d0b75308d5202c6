"""Write the engine for JavaScript to a folder: `python -m wasm [FOLDER]`."""

import argparse
import json
import shutil
from pathlib import Path

from rlcard_kit.files import user_path
from wasm.compiler import compile_kernels
from wasm.constants import CONSTANTS, write_constants
from wasm.kernels import PORTS
from wasm.networks import write_networks

SOURCES = Path(__file__).parent / 'js'
DEFAULT = Path(__file__).parent / 'build'


def build(folder: Path) -> None:
    """Write the package: its sources and their constants, and of each game a module of WebAssembly and its data."""
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    write_constants(CONSTANTS, folder)
    for name, make_port in PORTS.items():
        kernels, data = make_port()
        (folder / f'{name}.wasm').write_bytes(compile_kernels(kernels))
        text = json.dumps({**data, 'networks': write_networks(name, folder)}, separators=(',', ':'))
        (folder / f'{name}.json').write_text(text + '\n', encoding='utf-8')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(prog='python -m wasm', description=__doc__)
    parser.add_argument('folder', nargs='?', type=user_path, default=DEFAULT, help=f'by default wasm/{DEFAULT.name}')
    build(parser.parse_args().folder)
