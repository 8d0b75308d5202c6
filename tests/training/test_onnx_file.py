"""The option --onnx of `export`: ONNX Runtime has the values of the agents, and what cannot be written is refused."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dmc.cli
import ppo.cli
from dmc.config import Config
from rlcard_kit.agents import choose_highest
from rlcard_kit.errors import installing
from rlcard_kit.rng import new_streams
from rlcard_kit.vector_env import VectorEnv, deal_streams
from tests.support.limits import PATIENCE
from tests.support.training import save_network
from training import onnx_file
from training.onnx_file import find_agent

ROOT = Path(__file__).parents[2]
FILES = [
    ('dmc', 'big2-dmc', 'charlesworth'),
    ('dmc', 'big2-dmc', 'hong-kong'),
    ('dmc', 'big2-dmc', 'two'),
    ('ppo', 'big2-ppo', 'charlesworth'),
    ('ppo', 'catch5-ppo', 'paper'),
]


@pytest.fixture
def told(tmp_path):
    """Return the folder of a network that is told the rules."""
    config = Config.of(hidden_size=16, lstm_size=8, inputs='tables')
    save_network(tmp_path / 'told', config, config.find_game().make_network(config.spec), 7)
    return tmp_path / 'told'


def self_play(game, agent, games, turns):
    """Yield the positions of an agent's games with itself, turn by turn; games that end begin anew."""
    env, streams = (
        VectorEnv(game.card.for_rules(agent.rules), agent.rules, deal_streams(games, 5)),
        new_streams(1, games),
    )
    payoffs, done = env.new_payoffs(), np.empty(games, np.bool_)
    for _ in range(turns):
        positions = env.positions()
        yield positions
        env.step(positions.moves[agent.choose(positions, streams).indices], payoffs, done)


def check_file(file, game, agent, states=1000):
    """Compare a file with its agent in many states, of one game and of several; return the largest difference."""
    runtime = pytest.importorskip('onnxruntime', reason='onnxruntime is not installed')
    session = runtime.InferenceSession(str(file), providers=['CPUExecutionProvider'])
    module, worst, counts = agent.torch_module(), 0.0, set()
    for games, turns in ((1, states // 10), (30, -(-states * 9 // 300))):
        for positions in self_play(game, agent, games, turns):
            inputs = {name: tensor.numpy() for name, tensor in module.inputs(positions).items()}
            *chances, values = session.run(None, inputs)
            if chances:
                expected, of_games = agent.network.probabilities(positions)
                scores = np.exp(chances[0])
                worst = max(worst, np.abs(values - of_games).max())
            else:
                expected, scores = agent.network.values(positions), values
            worst = max(worst, np.abs(scores - expected).max())
            best = choose_highest(expected, positions.offsets)
            assert choose_highest(scores, positions.offsets).tolist() == best.tolist()
            counts |= set(positions.counts.tolist())
    assert len(counts) > 5
    return worst


@pytest.mark.parametrize(('kind', 'name', 'rules'), FILES)
def test_onnx_runtime_has_the_values_and_choices_of_included_agents(kind, name, rules, tmp_path, in_process):
    pytest.importorskip('onnxscript', reason='onnxscript is not installed')
    program, file = {'dmc': dmc.cli, 'ppo': ppo.cli}[kind], tmp_path / 'file.onnx'
    status, said = in_process(program.main, 'export', name, '--onnx', file, '--rules', rules)
    assert status == 0, said
    assert f'wrote {file} (' in said
    assert check_file(file, *find_agent(Path(name), kind, rules)) < 1e-4


def test_a_file_of_a_run_describes_its_inputs(told, tmp_path, in_process):
    onnx = pytest.importorskip('onnx', reason='onnx is not installed')
    pytest.importorskip('onnxscript', reason='onnxscript is not installed')
    file = tmp_path / 'file.onnx'
    status, said = in_process(dmc.cli.main, 'export', told, '--onnx', file)
    assert (status, said.strip().endswith('7 frames, rules all')) == (0, True)
    model = onnx.load(file)
    facts = {entry.key: entry.value for entry in model.metadata_props}
    inputs = json.loads(facts['inputs'])
    assert [*inputs] == [each.name for each in model.graph.input] == ['observations', 'actions', 'owners', 'stakes']
    for each in model.graph.input[:2]:
        axis, width = each.type.tensor_type.shape.dim
        assert axis.dim_param == onnx_file.AXES[each.name]
        assert width.dim_value == sum(inputs[each.name]['columns'].values())
    assert json.loads(facts['settings']) == json.loads((told / 'settings.json').read_text())
    assert json.loads(facts['outputs'])['values'].startswith('the value of each legal move in cards')
    assert [each.name for each in model.graph.output] == ['values']
    assert check_file(file, *find_agent(told, 'dmc'), states=100) < 1e-4
    example = [ROOT / 'examples/onnx/values.py', file, 'two', tmp_path / 'copy.json']
    result = subprocess.run([sys.executable, *example], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert result.stdout.count('game ') == 8
    assert [*json.loads((tmp_path / 'copy.json').read_text())] == [*inputs]


@pytest.mark.parametrize(
    ('arguments', 'expected'),
    [
        (['big2-dmc', '--onnx', 'new'], f'--onnx needs onnx and onnxscript: {installing("onnx")}'),
        (['big2-dmc', '--onnx', 'told/settings.json'], 'told/settings.json exists: name a file that does not'),
        (['big2-ppo', '--onnx', 'new'], "'big2-ppo' plays by no network of 'dmc': python -m dmc writes value networks"),
        (['rule', '--onnx', 'new'], "'rule' plays by no network of 'dmc'"),
        (['nobody', '--onnx', 'new'], 'nobody holds no trained network'),
        (['told', '--onnx', 'new', '--rules', 'two'], "rules='two': told is a folder, which holds one network"),
        (['big2-dmc', '--onnx', 'new', '--rules', 'none'], "no preset 'none'"),
        (['told', 'folder', '--onnx', 'new'], 'name a FOLDER'),
        (['told', '--onnx', 'new', '--average-with', 'told'], 'name a FOLDER'),
        (['told', 'folder', '--rules', 'two'], 'name a FOLDER'),
        (['told'], 'name a FOLDER'),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_sentence(arguments, expected, told, monkeypatch, in_process):
    monkeypatch.chdir(told.parent)
    monkeypatch.setattr(onnx_file, 'find_spec', lambda name: None)
    status, said = in_process(dmc.cli.main, 'export', *arguments)
    assert status == 1
    assert f'python -m dmc: {expected}' in said
    assert [path.name for path in told.parent.iterdir()] == ['told']


@pytest.mark.parametrize('folder', ['told/settings.json', '/dev/null/folder'])
def test_a_file_that_cannot_be_written_is_refused_by_its_name_before_the_work(folder, told, monkeypatch, in_process):
    monkeypatch.chdir(told.parent)
    monkeypatch.setattr(onnx_file, 'find_spec', lambda name: True)
    monkeypatch.setattr(onnx_file.NetworkAgent, 'torch_module', lambda agent: pytest.fail('the work has begun'))
    status, said = in_process(dmc.cli.main, 'export', 'told', '--onnx', f'{folder}/new')
    assert status == 1
    assert f'python -m dmc: {folder} cannot be used: ' in said
