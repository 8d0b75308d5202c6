"""Sessions in a terminal: entries, output and records."""

import re
import subprocess
import sys
from contextlib import suppress
from itertools import combinations

import pytest

from rlcard_catch5 import records
from rlcard_catch5.cards import format_cards, parse_cards
from rlcard_catch5.records import Record
from rlcard_catch5.registry import make_agent
from rlcard_catch5.rules import PRESETS, Rules
from rlcard_kit.errors import RecordError
from rlcard_kit.statistics import Estimate
from rlcard_play.catch5.advice import make_advisor, oddest, review
from rlcard_play.catch5.seated import SeatedGame
from rlcard_play.catch5.terminal.session import HELP, Session
from rlcard_play.study.seated_game import seats_of
from rlcard_play.terminal.session import LeftError
from rlcard_play.terminal.style import Style
from tests.support.terminal import Terminal

NAMES = ('you', 'next', 'partner', 'previous')
MANY = ['#0'] * 12
WIDE = Style(200)


def session(*entries, names=('rule',) * 3, rules=None, seed=2, target=None, style=WIDE, agents=None, **settings):
    """Return a session with a script, and its output."""
    terminal, rules = Terminal(*entries), rules or Rules()
    agents = agents or {name: make_agent(name, rules) for name in names}
    game = SeatedGame(seats_of(names), rules, seed, agents, target)
    advisor = make_advisor('catch5-ppo', rules)
    return Session(game, advisor, style, read=terminal.read, write=terminal.write, **settings), terminal.shown


def play(*entries, **settings):
    """Play until the script or the first hand ends; return the session and its output."""
    made, shown = session(*entries, **settings)
    with suppress(LeftError):
        made.run()
    return made, '\n'.join(shown)


def seen(made):
    return made.game.env.game.get_state(0)


def cards_in(shown, label):
    return re.search(rf'^ {label}: (.*)$', shown, re.MULTILINE)[1].split()


def test_the_auction_is_shown_and_bids_are_entered():
    made, shown = play('2', '10', 'x', '9', names=('pass', 'rule', 'pass'), seed=9)
    bids = made.game.trace[:4]
    for seat, text in bids:
        verb = 'pass' if text == 'pass' else text
        assert re.search(rf'{NAMES[seat]} {verb.replace("bid", "bids?")}', shown)
    assert (0, 'bid 9') in bids
    assert shown.count('Enter ? for help') >= 3


@pytest.mark.parametrize('loss', [3.0, -3.0])
def test_odd_moves_are_listed_if_rollouts_confirm_them(loss):
    made, shown = session('9', 'h', *MANY, seed=5)
    made.advisor.compare = lambda state, best, move: Estimate(loss, 1.0)
    with suppress(LeftError):
        made.run()
    own = oddest(one for one in review(made.game.record(), made.advisor) if one.seat == 0)
    end = '\n'.join(shown).partition(' Hand: ')[2]
    assert own
    assert f' Rollouts confirm {len(own) if loss > 0 else 0} of {len(own)} odd moves' in end
    assert ('would hardly make' in end, 'No odd moves.' in end) == (loss > 0, loss < 0)
    assert re.findall(r'^ move (\d+): ', end, re.MULTILINE) == [str(one.ply + 1) for one in own if loss > 0]


def test_trumps_are_named_and_the_refill_shows_what_everyone_may_know():
    made, shown = play('9', 'x', 'h', names=('pass',) * 3)
    own = made.game.record().deal['hands'][0]
    assert "'x' is not a suit" in shown
    assert made.game.trace[4] == (0, 'trump H')
    kept = [6 - lacked for lacked in seen(made)['num_cards_lacked']]
    assert ', '.join(f'{name} {count}' for name, count in zip(NAMES, kept, strict=True)) in shown
    discarded, drawn = (set(cards_in(shown, f'You {verb}')) for verb in ('discard', 'draw'))
    dealt, held = (set(format_cards(mask).split()) for mask in (sum(1 << card for card in own), _own_hand(made)))
    assert held == dealt - discarded | drawn
    assert {card for card in dealt if card[1] == 'h'} == dealt - discarded
    assert len(drawn) == seen(made)['num_cards_lacked'][0]


def _own_hand(made):
    return parse_cards(seen(made)['current_hand'])


@pytest.mark.parametrize('rules', PRESETS.values(), ids=PRESETS)
def test_every_trick_is_shown_once_in_order_with_its_winner(rules):
    made, shown = play(*MANY, rules=rules)
    lines = re.findall(r'^ Trick (\d): (.*) \| (\w+) wins?(?: (\d+) points?)?$', shown, re.MULTILINE)
    cards = [part.split()[-1] for _, trick, _, _ in lines for part in trick.split(' | ')]
    assert cards == [text for _, text in made.game.trace[5:]]
    assert [NAMES.index(winner) for _, _, winner, _ in lines] == seen(made)['trick_winners']
    if rules.low == 'taken':
        assert sum(int(points or 0) for *_, points in lines) == 9
    hand = [int(score) for score in re.search(r'Hand: us (-?\d+), them (-?\d+)', shown).groups()]
    assert hand * 2 == list(made.game.record().payoffs)
    bid = int(re.search(r'bid (\d) with', shown)[1])
    assert ('set.' in shown) == (-bid in hand)


def test_the_end_of_a_match_is_announced_and_another_begins(tmp_path):
    file = tmp_path / 'games.catch5.jsonl'
    made, shown = session(target=9, file=file)
    questions = []

    def read(prompt):
        questions.extend([prompt] * ('(y/n)' in prompt))
        return 'n' if prompt.startswith('Another') and questions.count(prompt) == 2 else 'y' if '(' in prompt else '#0'

    made._read = read
    made.run()
    games = records.read(file)
    ends = [*[i for i, game in enumerate(games) if game.extra['match']['hand'] == 1][1:], len(games)]
    assert len(questions) == len(games)
    assert [question.startswith('Another') for question in questions] == [i + 1 in ends for i in range(len(games))]
    winners = re.findall(r'(Your|The other) team has won the match', '\n'.join(shown))
    for end, winner in zip(ends, winners, strict=True):
        totals, payoffs = games[end - 1].extra['match']['totals'], games[end - 1].payoffs
        assert totals[winner != 'Your'] + payoffs[winner != 'Your'] >= 9
        assert re.search(rf'Match: us {totals[0] + payoffs[0]}, them {totals[1] + payoffs[1]}\b', '\n'.join(shown))
    assert [seat['name'] for seat in games[0].seats] == ['you', 'rule', 'rule', 'rule']


def test_every_entry_of_the_help_is_understood():
    made, shown = play(
        '?', 'h', 'v', 'l', 's', '9', 'hint', 'seen', 'c', 'h', 's', '#0', 'u', 'zz', names=('pass',) * 3
    )
    for entry in HELP:
        assert re.search(rf'^ {re.escape(entry)} ', shown, re.MULTILINE)
    assert shown.count(' trumps out: ') == 1
    assert shown.count('No trumps yet') == 2
    assert len(re.findall(r'^ (clubs|#?\w+|bid \d|pass|\w+).* \d+ %', shown, re.MULTILINE)) >= 4
    assert 'Nothing to take back' not in shown
    assert made.game.help['takebacks']


def test_moves_are_taken_back_to_the_last_choice():
    (made, _), (before, _) = play('9', 'c', '#0', 'u', 'u'), play('9')
    assert made.game.trace == before.game.trace
    assert seen(made)['current_hand'] == seen(before)['current_hand']


def test_a_strict_game_gives_no_advice_before_its_end():
    _, shown = play('h', 'hint', 'v', 'd', 'deep', 'u', *MANY, strict=True)
    assert shown.count('strict') == 6
    assert '%' not in shown[: shown.index('Hand: us')]


def test_rollouts_have_points_and_the_chance_of_the_bid_and_count_as_advice():
    made, shown = play('9', 'deep', 'c', 'd', names=('pass',) * 3)
    rows = re.findall(r'^ #\d (\w+) +[+-]\d+\.\d ± \d\.\d  bid made \d+ %', shown, re.MULTILINE)
    assert set(rows) == {'clubs', 'diamonds', 'hearts', 'spades', *made.game.legal}
    assert made.game.help['advice'] == [4, 5]


@pytest.mark.parametrize('width', [40, 80])
@pytest.mark.parametrize('symbols', [False, True])
def test_no_line_is_wider_than_the_terminal(width, symbols):
    _, shown = play('?', 'v', '9', 'c', 'v', 'd', 's', 'l', *MANY, style=Style(width, symbols))
    assert max(map(len, shown.split('\n'))) <= width
    assert ('♦' in shown) == symbols


class Follower:
    """An agent that makes the moves of a record."""

    use_raw = True

    def __init__(self, record):
        self.record = record

    def eval_step(self, state):
        return self.record.trace[len(state['action_record'])][1], {}


def follow(record, ply, **settings):
    """Return the output of a hand, with all that the person may ask, until its choice at a ply."""
    made, shown = session(names=('a',) * 3, agents={'a': Follower(record)}, **settings)
    made.game.deal(record.at(0))

    def read(prompt):
        asked = made.game.ply
        if asked == ply:
            for entry in ('v', 's', 'l'):
                made._answer(entry)
            raise EOFError
        return record.trace[asked][1].lower()

    made._read = read
    with suppress(LeftError):
        made.run()
    assert made.game.ply == ply
    return shown


def with_other_hidden_cards(record, ply):
    """Yield records with two hidden cards of different seats swapped, in which all moves before a ply are the same."""
    played = {move - 12 for move in record.moves[:ply]}
    hands = record.deal['hands']
    hidden = [(seat, card) for seat in (1, 2, 3) for card in hands[seat] if card not in played]
    for (seat, card), (other, theirs) in combinations(hidden, 2):
        if seat == other or card // 13 != theirs // 13:
            continue
        swapped = [list(hand) for hand in hands]
        swapped[seat][swapped[seat].index(card)] = theirs
        swapped[other][swapped[other].index(theirs)] = card
        with suppress(RecordError):
            found = Record({**record.deal, 'hands': swapped}, record.moves[:ply], record.rules, extra=record.extra)
            if (found.final()['drawn'] == record.at(ply).final()['drawn']).all():  # everyone sees these numbers
                yield found


@pytest.mark.parametrize('strict', [False, True])
def test_hidden_cards_do_not_change_the_output_before_they_are_played(strict):
    compared, advisor = set(), make_advisor('catch5-ppo', Rules())
    for seed in range(2):
        made, _ = play('3', 'c', *MANY, names=('rule', 'pass', 'rule'), seed=seed)
        record = made.game.record()
        for ply in [one.ply for one in review(record, advisor) if one.seat == 0]:
            expected = follow(record, ply, strict=strict)
            for other in list(with_other_hidden_cards(record, ply))[:4]:
                assert follow(other, ply, strict=strict) == expected
                compared.add(ply)
    assert {0, 4} & compared
    assert len(compared) > 5


START = """
import sys
from rlcard_play.cli import catch5
try:
    catch5(sys.argv[1:])
finally:
    assert not {name.partition('.')[0] for name in sys.modules} & {'torch', 'tyro', 'rich', 'matplotlib'}
"""


def test_the_program_in_pipes_is_plain_saves_at_the_end_of_input_and_needs_no_torch(tmp_path):
    file = tmp_path / 'games.catch5.jsonl'
    result = subprocess.run(
        [sys.executable, '-c', START, 'play', '--seed', '3', '--record', file, '--opponents', 'rule', 'random'],
        input=b'\xff\n#0\n', capture_output=True, timeout=300, check=True,
    )  # fmt: skip
    shown = result.stdout.decode()
    assert not {'\x1b', '♦'} & set(shown)
    assert 'is not a card' in ' '.join(shown.split())
    (game,) = records.read(file)
    assert [seat['name'] for seat in game.seats] == ['you', 'rule', 'catch5-ppo', 'random']
    assert 'weights' in game.seats[2]
