"""Sessions in a terminal: entries, output and records."""

import re
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations

import pytest

from rlcard_big2.models import WEIGHTS
from rlcard_big2.rules import Rules
from rlcard_catch5.cards import format_cards
from rlcard_catch5.records import Record
from rlcard_catch5.rules import PRESETS as CATCH5_PRESETS
from rlcard_kit.errors import RecordError
from rlcard_play.big2.terminal.session import Session as Big2Session
from rlcard_play.catch5.terminal.session import Session as Catch5Session
from rlcard_play.games import GAMES
from rlcard_play.study.protocols import Loss
from rlcard_play.study.seated_game import seats_of
from rlcard_play.terminal.session import LeftError
from rlcard_play.terminal.style import Style
from tests.support.terminal import Terminal

WIDE = Style(200)
SESSIONS = {'big2': Big2Session, 'catch5': Catch5Session}
BIG2_NAMES, CATCH5_NAMES = ('you', 'next', 'across', 'previous'), ('you', 'next', 'partner', 'previous')
OTHERS = {'big2': ('greedy', 'rule', 'greedy'), 'catch5': ('rule',) * 3}
MANY = {'big2': ['#0'] * 60, 'catch5': ['#0'] * 12}
PASSERS = ('pass',) * 3
BIG2, CATCH5 = GAMES.values()


def session(key, *entries, names=None, rules=None, seed=2, style=WIDE, agents=None, advisor=None, **settings):
    """Return a session of a game with a script, and its output."""
    game, terminal = GAMES[key], Terminal(*entries)
    rules = rules or game.rules()
    names = (names or OTHERS[key])[: rules.players - 1]
    target = {'target': settings.pop('target')} if 'target' in settings else {}
    agents = agents or {name: game.make_agent(name, rules) for name in names}
    seated = game.seated(seats_of(names), rules, seed, agents, **target)
    advisor = game.make_advisor(advisor or game.advisor, rules)
    made = SESSIONS[key](seated, advisor, style, read=terminal.read, write=terminal.write, **settings)
    return made, terminal.shown


def play(key, *entries, **settings):
    """Play until the script or the first game ends; return the session and its output."""
    made, shown = session(key, *entries, **settings)
    with suppress(LeftError):
        made.run()
    return made, '\n'.join(shown)


big2, catch5 = partial(play, 'big2'), partial(play, 'catch5')


# Both games


@pytest.mark.parametrize('loss', [3.0, -3.0])
@pytest.mark.parametrize(
    ('key', 'entries', 'seed', 'end'),
    [('big2', ['p', '#0'] * 40, 2, ' won.'), ('catch5', ['9', 'h', *MANY['catch5']], 5, ' Hand: ')],
    ids=GAMES,
)
def test_mistakes_are_listed_if_rollouts_confirm_them(key, entries, seed, end, loss):
    made, shown = session(key, *entries, seed=seed)  # in Big 2, the person passes whenever it may
    made.advisor.compare = lambda state, best, move: Loss(loss, 1.0)
    with suppress(LeftError):
        made.run()
    game, board = GAMES[key], made.BOARD
    own = game.worst(game.review(made.game.record(), made.advisor), 0)
    _, _, text = '\n'.join(shown).partition(end)
    assert own
    assert f' Rollouts confirm {len(own) if loss > 0 else 0} of {len(own)} {board.grades}' in text
    headings = f' Your {board.mistakes.format(made.advisor.name)}:', f' No {board.no_mistakes}.'
    assert [heading in text for heading in headings] == [loss > 0, loss < 0]
    assert re.findall(r'^ move (\d+): ', text, re.MULTILINE) == [str(one.ply + 1) for one in own if loss > 0]


@pytest.mark.parametrize('key', GAMES)
def test_hint_and_values_follow_a_deep_analysis_until_the_next_move(key):
    made, shown = session(key, 'd', 'h', 'v', *MANY[key])
    made.advisor.look = partial(made.advisor.look, deals=10)
    with suppress(LeftError):
        made.run()
    looks = [text for text in shown if 'Rollouts of' in text]
    assert len(looks) == 3
    assert not any('averages over similar positions' in text or 'shares of its choices' in text for text in shown)


@pytest.mark.parametrize(('key', 'moves', 'back'), [('big2', ['#0'], 1), ('catch5', ['9', 'c', '#0'], 2)], ids=GAMES)
def test_moves_are_taken_back_to_the_last_choice(key, moves, back):
    (made, _), (before, _) = play(key, *moves, *['u'] * back), play(key, *moves[:-back])
    assert made.game.trace == before.game.trace
    assert made.game.state['raw_obs']['current_hand'] == before.game.state['raw_obs']['current_hand']
    assert len(made.game.record().extra['help']['takebacks']) == back


@pytest.mark.parametrize(
    ('key', 'entries', 'end'),
    [('big2', ['h', 'v', 'd', 'u'], 'won'), ('catch5', ['h', 'hint', 'v', 'd', 'deep', 'u'], 'Hand: us')],
    ids=GAMES,
)
def test_a_strict_game_gives_no_advice_before_its_end(key, entries, end):
    _, shown = play(key, *entries, *MANY[key], strict=True)
    assert shown.count('strict') == len(entries)
    assert '%' not in shown[: shown.index(end)]


@pytest.mark.parametrize('width', [40, 80, 200])
@pytest.mark.parametrize('symbols', [False, True])
@pytest.mark.parametrize(
    ('key', 'entries'),
    [('big2', ['?', 'v', 's', 'more', 'l']), ('catch5', ['?', 'v', '9', 'c', 'v', 'd', 's', 'l'])],
    ids=GAMES,
)
def test_no_line_is_wider_than_the_terminal(key, entries, width, symbols):
    _, shown = play(key, *entries, *MANY[key], style=Style(width, symbols))
    assert max(map(len, shown.split('\n'))) <= width
    assert ('♦' in shown) == symbols


# Big 2


def test_a_game_ends_with_hands_and_payoffs_and_again_deals_another(tmp_path):
    file = tmp_path / 'games.big2.jsonl'
    made, shown = session('big2', file=file)
    answers = iter(['again', 'y', 'n'])  # the first is asked again
    made._read = lambda prompt: next(answers) if 'Again' in prompt else '#0'
    made.run()
    (first, second), ends = BIG2.records.read(file), [i for i, text in enumerate(shown) if ' won.' in text]
    assert first.hands != second.hands
    for end, game in zip(ends, (first, second), strict=True):
        lines = '\n'.join(shown[end:])
        for name, payoff in zip(('you', 'next greedy', 'across rule', 'previous greedy'), game.payoffs, strict=True):
            assert re.search(rf'^ {name} +{re.escape(f"{payoff:+d}")}\b', lines, re.MULTILINE)
        assert str(file) in lines
        assert [seat['name'] for seat in game.seats] == ['you', 'greedy', 'rule', 'greedy']


def test_a_game_for_places_goes_on_until_one_player_is_left():
    made, shown = big2(*['p', '#0'] * 40, rules=Rules(places=True))
    assert sorted(made.game.env.get_payoffs()) == [-3, -1, 1, 3]
    assert re.search(r'(across|next|previous) \w+ out   ', shown)


def test_the_winner_of_the_last_game_leads_the_next(tmp_path):
    made, shown = session('big2', rules=Rules(leads='winner'), file=tmp_path / 'games.big2.jsonl')
    made._read = lambda prompt: 'y' if 'Again' in prompt else 'q' if 'saved' in '\n'.join(shown) else '#0'
    with suppress(LeftError):
        made.run()
    (first,), second = BIG2.records.read(made.file), made.game.record()
    assert (first.rules.leads, second.rules.leads, second.first) == ('winner', str(first.winner), first.winner)
    assert second.rules.title == first.rules.title == "charlesworth with leads='winner'"


def test_every_move_is_shown_once_and_in_order():
    made, shown = big2(*MANY['big2'])
    moves = [f'{BIG2_NAMES[seat]} {text}' for seat, text in made.game.trace]
    parts = [part.strip() for part in re.sub('leads? ', '', shown).replace('\n', '|').split('|')]
    assert [part for part in parts if part in moves] == moves


def test_every_entry_of_the_help_of_big2_is_understood():
    _, shown = big2('?', 'h', 'v', 'l', 's', 'rules', 'more', 'u', '#0', 'l', 'u', 'p', 'q')
    for entry in SESSIONS['big2'].HELP:
        assert re.search(rf'^ {re.escape(entry)} ', shown, re.MULTILINE)
    for answer in (r'\d+ % [+-]\d', ' still out: ', 'you played: ', 'Straights: 3. 4', r'^  1 you 3d'):
        assert re.search(answer, shown, re.MULTILINE)


def test_rollouts_count_as_advice():
    made, shown = big2('#0', 'd', 'q')
    assert re.search(r'\d+ % [+-]\d+\.\d ± \d+\.\d', shown)
    assert made.game.help['advice'] == [made.game.ply]


@pytest.mark.parametrize(
    ('rules', 'names'),
    [('two', ['next']), pytest.param('hong-kong-3', ['next', 'previous'], marks=pytest.mark.slow)],
)
def test_fewer_players_have_advice(rules, names):
    made, shown = big2('h', 'v', 'd', 'l', 's', *MANY['big2'], rules=Rules.preset(rules))
    assert ' #0 ' in shown
    assert re.search(r'\d+ % [+-]\d+\.\d ± \d+\.\d', shown)
    assert made.game.is_over
    for name in ('you', *names):
        assert f'{name} played: ' in shown
    assert 'across' not in shown


def test_forced_passes_are_not_asked_for():
    made, _ = session('big2')
    made._read = lambda prompt: '#0' if made.game.legal != ['pass'] else pytest.fail('asked for a forced pass')
    made._play()
    assert (0, 'pass') in made.game.trace


def test_without_calibration_there_are_no_numbers():
    own = replace(Rules(), penalty_thresholds=(9,))
    assert '%' in big2('h', rules=own)[1]
    assert '%' not in big2('h', rules=own, advisor=f'dmc:{WEIGHTS / "dmc"}')[1]


# Catch Five


def seen(made):
    return made.game.env.game.get_state(0)


def cards_in(shown, label):
    return re.search(rf'^ {label}: (.*)$', shown, re.MULTILINE)[1].split()


def test_the_auction_is_shown_and_bids_are_entered():
    made, shown = catch5('2', '10', 'x', '9', names=('pass', 'rule', 'pass'), seed=9)
    bids = made.game.trace[:4]
    for seat, text in bids:
        verb = 'pass' if text == 'pass' else text
        assert re.search(rf'{CATCH5_NAMES[seat]} {verb.replace("bid", "bids?")}', shown)
    assert (0, 'bid 9') in bids
    assert shown.count('Enter ? for help') >= 3


def test_trumps_are_named_and_the_refill_shows_what_everyone_may_know():
    made, shown = catch5('9', 'x', 'h', names=PASSERS)
    own = made.game.record().deal['hands'][0]
    assert "'x' is not a suit" in shown
    assert made.game.trace[4] == (0, 'trump H')
    kept = [6 - lacked for lacked in seen(made)['num_cards_lacked']]
    assert ', '.join(f'{name} {count}' for name, count in zip(CATCH5_NAMES, kept, strict=True)) in shown
    discarded, drawn = (set(cards_in(shown, f'You {verb}')) for verb in ('discard', 'draw'))
    dealt, held = {format_cards(1 << card) for card in own}, set(seen(made)['current_hand'].split())
    assert held == dealt - discarded | drawn
    assert {card for card in dealt if card[1] == 'h'} == dealt - discarded
    assert len(drawn) == seen(made)['num_cards_lacked'][0]


@pytest.mark.parametrize('rules', CATCH5_PRESETS.values(), ids=CATCH5_PRESETS)
def test_every_trick_is_shown_once_in_order_with_its_winner(rules):
    made, shown = catch5(*MANY['catch5'], rules=rules)
    lines = re.findall(r'^ Trick (\d): (.*) \| (\w+) wins?(?: (\d+) points?)?$', shown, re.MULTILINE)
    cards = [part.split()[-1] for _, trick, _, _ in lines for part in trick.split(' | ')]
    assert cards == [text for _, text in made.game.trace[5:]]
    assert [CATCH5_NAMES.index(winner) for _, _, winner, _ in lines] == seen(made)['trick_winners']
    if rules.low == 'taken':
        assert sum(int(points or 0) for *_, points in lines) == 9
    hand = [int(score) for score in re.search(r'Hand: us (-?\d+), them (-?\d+)', shown).groups()]
    assert hand * 2 == list(made.game.record().payoffs)
    bid = int(re.search(r'bid (\d) with', shown)[1])
    assert ('set.' in shown) == (-bid in hand)


def test_the_end_of_a_match_is_announced_and_another_begins(tmp_path):
    file = tmp_path / 'games.catch5.jsonl'
    made, shown = session('catch5', target=9, file=file)
    questions = []

    def read(prompt):
        questions.extend([prompt] * ('(y/n)' in prompt))
        return 'n' if prompt.startswith('Another') and questions.count(prompt) == 2 else 'y' if '(' in prompt else '#0'

    made._read = read
    made.run()
    games = CATCH5.records.read(file)
    ends = [*[i for i, game in enumerate(games) if game.extra['match']['hand'] == 1][1:], len(games)]
    assert len(questions) == len(games)
    assert [question.startswith('Another') for question in questions] == [i + 1 in ends for i in range(len(games))]
    winners = re.findall(r'(Your|The other) team has won the match', '\n'.join(shown))
    for end, winner in zip(ends, winners, strict=True):
        totals, payoffs = games[end - 1].extra['match']['totals'], games[end - 1].payoffs
        assert totals[winner != 'Your'] + payoffs[winner != 'Your'] >= 9
        assert re.search(rf'Match: us {totals[0] + payoffs[0]}, them {totals[1] + payoffs[1]}\b', '\n'.join(shown))
    assert [seat['name'] for seat in games[0].seats] == ['you', 'rule', 'rule', 'rule']


def test_every_entry_of_the_help_of_catch5_is_understood():
    made, shown = catch5('?', 'h', 'v', 'l', 's', '9', 'hint', 'seen', 'c', 'h', 's', '#0', 'u', 'zz', names=PASSERS)
    for entry in SESSIONS['catch5'].HELP:
        assert re.search(rf'^ {re.escape(entry)} ', shown, re.MULTILINE)
    assert shown.count(' trumps out: ') == 1
    assert shown.count('No trumps yet') == 2
    assert len(re.findall(r'^ (clubs|#?\w+|bid \d|pass|\w+).* \d+ %', shown, re.MULTILINE)) >= 4
    assert 'Nothing to take back' not in shown
    assert made.game.help['takebacks']


def test_rollouts_have_points_and_the_chance_of_the_bid_and_count_as_advice():
    made, shown = catch5('9', 'deep', 'c', 'd', names=PASSERS)
    rows = re.findall(r'^ #\d (\w+) +[+-]\d+\.\d ± \d\.\d  bid made \d+ %', shown, re.MULTILINE)
    assert set(rows) == {'clubs', 'diamonds', 'hearts', 'spades', *made.game.legal}
    assert made.game.help['advice'] == [4, 5]


class Follower:
    """An agent that makes the moves of a record."""

    use_raw = True

    def __init__(self, record):
        self.record = record

    def eval_step(self, state):
        return self.record.trace[len(state['action_record'])][1], {}


def follow(record, ply, **settings):
    """Return the output of a hand, with all that the person may ask, until its choice at a ply."""
    made, shown = session('catch5', names=('a',) * 3, agents={'a': Follower(record)}, **settings)
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
    compared, advisor = set(), CATCH5.make_advisor(CATCH5.advisor, CATCH5.rules())
    for seed in range(2):
        made, _ = catch5('3', 'c', *MANY['catch5'], names=('rule', 'pass', 'rule'), seed=seed)
        record = made.game.record()
        for ply in [one.ply for one in CATCH5.review(record, advisor) if one.seat == 0]:
            expected = follow(record, ply, strict=strict)
            for other in list(with_other_hidden_cards(record, ply))[:4]:
                assert follow(other, ply, strict=strict) == expected
                compared.add(ply)
    assert {0, 4} & compared
    assert len(compared) > 5
