"""Recipes of the pages, followed to the letter in a copy of the checkout."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tests.support.commands import run_python

ROOT = Path(__file__).parents[2]
SMALL = '--deterministic --num-games 8 --hidden-size 8 --lstm-size 4 --batch-size 64 --total-frames 300 --eval-deals 0'

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path):
    """Copy the checkout; return a function that runs a command of Python there and returns what it prints."""
    ignored = shutil.ignore_patterns('.*', '__pycache__', '_build', 'runs')
    shutil.copytree(ROOT, tmp_path, ignore=ignored, dirs_exist_ok=True)

    return lambda command: run_python(tmp_path, *shlex.split(command), path=tmp_path)


def edit(folder, edits):
    """Insert text after one that a file holds once: `>> FILE | TEXT | INSERTED`, or lines below `>> FILE | TEXT`."""
    for block in re.split('^>> ', edits, flags=re.MULTILINE)[1:]:
        head, _, lines = block.partition('\n')
        name, after, inserted = [*head.split(' | '), '\n' + lines.rstrip()][:3]
        text = (folder / name).read_text(encoding='utf-8')
        assert text.count(after) == 1, head
        (folder / name).write_text(text.replace(after, after + inserted), encoding='utf-8')


def section(page, title):
    return (ROOT / 'docs' / page).read_text(encoding='utf-8').partition(f'## {title}\n')[2].partition('\n## ')[0]


def named_tests(page, *titles):
    """Return the test files that recipes of a page name at their ends."""
    ends = (section(page, title).partition('Tests:')[2] for title in titles)
    return ' '.join(dict.fromkeys(name for end in ends for name in re.findall(r'`(tests/[^`]+)`', end)))


PRESET = """
>> docs/records.schema.json | "hkust" | , "recipe"
>> rlcard_big2/rules.py | 'hkust': HKUST,
        'recipe': replace(HKUST, opening='holding', penalty_thresholds=(10, 13)),
"""


def test_a_preset_is_added(tmp_path, run):
    count, *commands = re.findall(r'`python ([^`]+)`', section('own-rules.md', 'A preset'))
    edit(tmp_path, PRESET)
    edit(tmp_path, '>> tests/big2/engine/test_perft.py | COUNTS = {\n' + run(count))
    for command in commands:
        run(command)
    assert (tmp_path / 'tests/golden/big2-recipe.txt').exists()
    run(f'-m pytest -q {named_tests("own-rules.md", "A preset")} -k "recipe or preset or current"')


RULE = """
>> rlcard_big2/rules.py | holds a 2, or is four of a kind or a straight flush.\"\"\"
    unplayed_aces: bool = False
    \"\"\"A loser pays double for each ace left.\"\"\"
>> rlcard_big2/rules.py | 'final_play', 'face_values', | 'unplayed_aces',
>> rlcard_big2/engine/ruleset.py | NEWEST = |  'unplayed_aces',
>> rlcard_big2/engine/ruleset.py | settlement: Annotated[int, np.int64]
    unplayed_aces: Annotated[int, np.int64]
>> rlcard_big2/engine/ruleset.py | 'added_factors', 'face_values' | , 'unplayed_aces'
>> rlcard_big2/engine/state.py | doublings += min(rules.unplayed_twos, popcount(hand >> 4 * TWO))
    if rules.unplayed_aces != 0:
        doublings += popcount(hand >> 44 & 15)
>> tests/support/oracle.py | if rules.twos_once else ranks.count(12)
    reasons += rules.unplayed_aces * ranks.count(11)
>> rlcard_big2/openspiel.py | doubled = 4 * rules.unplayed_twos |  + 4 * rules.unplayed_aces
>> tests/big2/test_game.py | (TWOS, ('2d 3d', '2c 2h 4d', '5d'), 'Ah', (4, 12, 1)),
        (Rules(unplayed_aces=True), ('Ad 3d', 'Ac Ah 4d 2d', '5d'), 'As', (4, 16, 1)),
>> tests/big2/engine/test_moves.py | assert len(refused) == 38 |  + 1
>> docs/records.schema.json | "unplayed_bombs", "final_play" | , "unplayed_aces"
>> docs/records.schema.json | "final_play": {"type": "boolean"} | , "unplayed_aces": {"type": "boolean"}
"""


def with_field(settings):
    return settings.replace('"final_play"', '"unplayed_aces": false, "final_play"')


def test_a_rule_is_added(tmp_path, run):
    edit(tmp_path, RULE)
    for path in tmp_path.glob('rlcard_big2/models/*/settings.json'):
        path.write_text(with_field(path.read_text()))
        weights = path.with_name('network.safetensors')
        with safe_open(weights, 'pt') as file:
            carried = {key: with_field(text) for key, text in file.metadata().items()}
        save_file(load_file(weights), weights, carried)
    run('docs/tables.py')
    some = 'losers or number or wrong or legal or random or checkpoint or pass or current or schema'
    run(f'-m pytest -q {named_tests("own-rules.md", "A rule")} -k "{some}"')


AGENT = """
>> rlcard_big2/registry.py | 'a heuristic that plans how to shed its hand'),
    'cautious': AgentSpec('rlcard_big2.agents.cautious:CautiousAgent', 'plays the lowest action'),
>> dmc/opponents.py |     def make(name: str) -> Agent:
        if name == 'best':
            return GreedyValueAgent(network)
>> dmc/opponents.py | '; or self, or prior | , or best
>> dmc/config.py | 'prior' (an earlier copy of the network) | , 'best' (its best moves)
>> dmc/cli.py | if agent in ('self', 'prior' | , 'best'
"""
TEST = """from rlcard_big2.agents.cautious import CautiousAgent, check_agent
def test_it_plays_by_the_protocol(): check_agent(CautiousAgent())
"""


def test_an_agent_and_an_opponent_are_added(tmp_path, run):
    page = section('own-agent.md', 'For many games at once')
    code = re.search(r'```python\n(.*?)\n\n\ncheck_agent', page, re.DOTALL)[1]
    (tmp_path / 'rlcard_big2/agents/cautious.py').write_text(code)
    (tmp_path / 'tests/big2/agents/test_cautious.py').write_text(TEST)
    edit(tmp_path, AGENT)
    assert 'cautious' in run('-m eval match cautious random --deals 2 --workers 1')
    run(f'-m dmc train --opponent best {SMALL}')
    named = named_tests('own-agent.md', 'In the package', 'To train against')
    run(f'-m pytest -q tests/big2/agents/test_cautious.py {named} -k "cautious or registry or prior"')


VARIANT = """
>> rlcard_big2/nets/spec.py | Variant = Literal['plain' | , 'latest'
>> rlcard_big2/nets/spec.py | history: Literal['lstm' | , 'latest'
>> rlcard_big2/nets/spec.py | NETWORKS: Mapping[Variant, Design] = {
    'latest': Design(residual=True, history='latest'),
>> rlcard_big2/nets/value.py | batch_first=True)
            case 'latest':
                self.history = nn.Linear(STEP_SIZE, spec.lstm_size)
>> rlcard_big2/nets/value.py | summary = self.lstm(moves.reshape(-1, STEPS, STEP_SIZE))[0][:, -1]
            case 'latest':
                summary = torch.relu(self.history(moves[:, -STEP_SIZE:]))
>> rlcard_big2/nets/value.py | self.lstm, STEPS) @ summary.t()
            case 'latest':
                moves = sum_rows(observations, OBSERVATION_SIZE - STEP_SIZE, self.history.weight)
                return encoded + torch.relu(moves + self.history.bias) @ summary.t()
>> rlcard_big2/nets/value_numpy.py | return self._remember(states)
            case 'latest':
                summary = np.zeros((len(states), self.spec.lstm_size), np.float32)
                add_rows(states, OBSERVATION_SIZE - STEP_SIZE, self._weights['history.weight'], summary)
                add_bias(self._weights['history.bias'], summary)
                return summary
>> rlcard_big2/nets/value_numpy.py | layers['history'] = (spec.lstm_size, STEPS * STEP_SIZE)
    if spec.design.history == 'latest':
        layers['history'] = (spec.lstm_size, STEP_SIZE)
>> tests/dmc/test_networks.py | BY_HAND = {
    'latest': lambda w, moves: BY_HAND['layer'](w, moves[:, -208:]),
"""
INPUT = """
>> rlcard_big2/nets/spec.py | Inputs = Literal['cards' | , 'missing'
>> rlcard_big2/nets/features.py | from rlcard_big2.nets.afterstates import COST_SIZE | , write_missing
>> rlcard_big2/nets/features.py | WIDTHS: dict[Inputs, Widths] = {
    'missing': Widths(OBSERVATION_SIZE + OUTLOOK_SIZE + 13, MOVE_SIZE),
>> rlcard_big2/nets/features.py | out[i, OBSERVATION_SIZE : OBSERVATION_SIZE + OUTLOOK_SIZE])
        if out.shape[1] == OBSERVATION_SIZE + OUTLOOK_SIZE + 13:
            write_missing(observations[i], out[i, OBSERVATION_SIZE + OUTLOOK_SIZE :])
>> rlcard_big2/nets/afterstates.py | _OUTLOOK_FIVES = OUTLOOK_SIZE - NUM_STRAIGHTS - 4
MISSING_LAYOUT = {'ranks that the opponents do not hold': 13}


@kernel
def write_missing(observation: Observation, out: Int8Array) -> None:
    for rank in range(13):
        out[rank] = observation.others >> 4 * rank & 15 == 0
>> tests/big2/nets/test_afterstates.py | ones(describe_outlook(cards_in(others)), OUTLOOK_LAYOUT)
        missing = [rank not in ranks_in(cards_in(others)) for rank in range(13)]
        assert observation_inputs(packed, 'missing')[0].tolist() == [*states, *missing]
"""


def test_a_network_and_an_input_are_added(tmp_path, run):
    edit(tmp_path, VARIANT + INPUT)
    run(f'-m dmc train --network latest --inputs missing {SMALL}')
    for name in ('dmc:runs/dmc', 'dmc:runs/dmc,numpy'):
        assert name in run(f'-m eval match {name} random --deals 2 --workers 1')
    named = named_tests('own-network.md', 'A variant', 'An input')
    run(f'-m pytest -q {named} -k "latest or missing or description or observation or spec"')


def test_a_game_is_trained_and_measured(run):
    block = re.search(r'```sh\n(.*?)```', section('own-game.md', 'DMC, PPO and `eval`'), re.DOTALL)[1]
    *training, match, tournament = re.findall(
        r'^python (.*)', block.replace('300000', '3000').replace('1000', '20'), re.M
    )
    assert [line.split()[1] for line in training] == ['dmc', 'ppo']
    for line in training:
        run(f'{line} --eval-deals 20')
    assert 'dmc:runs/toy-dmc: 20 deals' in run(match)
    assert 'is better than random' in run(tournament)
