"""Plays the longest legal move, the first of equals.

python -m eval match 'program:python examples/programs/bot.py' rule
"""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if 'game' in message:  # a game begins, which needs no answer
        continue
    move = max(message['actions'], key=lambda text: len(text.split()))
    print(json.dumps({'move': move}), flush=True)
