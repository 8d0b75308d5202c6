"""Write the engine for JavaScript to a folder: `python -m wasm [FOLDER]`."""

import json
import shutil
import sys
from pathlib import Path

from wasm.compiler import compile_kernels
from wasm.kernels import PORTS
from wasm.networks import write_networks

SOURCES = Path(__file__).parent / 'js'
DEFAULT = Path(__file__).parent / 'build'


def build(folder: Path) -> None:
    """Write the package: its sources, and of each game a module of WebAssembly and its data."""
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    for name, make_port in PORTS.items():
        port = make_port()
        (folder / f'{name}.wasm').write_bytes(compile_kernels(port.kernels))
        data = json.dumps({**port.data, 'networks': write_networks(name, folder)}, separators=(',', ':'))
        (folder / f'{name}.json').write_text(data + '\n', encoding='utf-8')


if __name__ == '__main__':
    build(Path(sys.argv[1]) if sys.argv[1:] else DEFAULT)
