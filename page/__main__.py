"""Write the page to a folder: `python -m page [FOLDER]`."""

import argparse

from page.build import OUT, build
from rlcard_kit.files import user_path
from rlcard_play.web.rate_limits import Limits

if __name__ == '__main__':
    parser = argparse.ArgumentParser(prog='python -m page', description=__doc__)
    parser.add_argument('folder', nargs='?', type=user_path, default=OUT, help=f'by default page/{OUT.name}')
    parser.add_argument('--delay', type=float, default=Limits.delay, help='seconds before an agent moves')
    chosen = parser.parse_args()
    print(f'{build(chosen.folder, chosen.delay):,} bytes, compressed, at first')
