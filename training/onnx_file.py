"""A network as an ONNX file, which runs without torch and this library; what its inputs are is written in the file."""

import json
import logging
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from rlcard_kit.errors import ConfigError, FileError, KitError, installing
from rlcard_kit.files import checksum, replace
from rlcard_kit.nets.agents import NetworkAgent
from rlcard_kit.nets.checkpoint import NETWORK, Settings
from rlcard_kit.nets.module import NetworkModule
from rlcard_kit.vector_env import VectorEnv, deal_streams
from rlcard_kit.version import __version__
from training.games import GAMES, LearnedGame, game_in

OPSET = 20
EXAMPLES = 3  # games of the inputs that are followed through the network
AXES = {'observations': 'games', 'actions': 'moves', 'owners': 'moves', 'stakes': 'games'}
MEANINGS = {
    'observations': 'what each seat to move sees, a row for each game',
    'actions': 'the legal moves of all games, in the order of the games',
    'owners': 'the row of observations that each legal move belongs to',
    'stakes': 'payoff in one unit of the values of each game, see rlcard_big2.nets.rule_features.stake',
}
VALUES = 'the value of each legal move in {}, [moves]: the highest of a game is played'
POLICY = {
    'log_probabilities': 'the natural logarithm of the probability of each legal move among those of its game, [moves]',
    'values': 'the expected payoff of each game in {}, [games]',
}


class MissingOnnxError(KitError):
    """A file that needs libraries for ONNX, which are not installed."""


def find_agent(source: Path, kind: str, rules: str | None = None) -> tuple[LearnedGame, NetworkAgent]:
    """Return an agent with a network, prepared for rules, and its game.

    Args:
        source: the folder of a run, or the name of an agent that is included.
        kind: of the agent, 'dmc' or 'ppo'.
        rules: by which an agent that is included chooses its network; None for the default of its game.

    Raises:
        CheckpointError: if a folder holds no such network.
        ConfigError: if an agent of that name has no such network, or if a folder is given with rules.
    """
    name = str(source)
    named = next((game for game in GAMES.values() if name in game.names.kinds), None)
    if named is None or source.is_dir():
        if rules is not None:
            raise ConfigError(f'rules={rules!r}: {source} is a folder, which holds one network: leave the rules out')
        game = game_in(source)
        agent = game.load_agent(kind, source)
        agent.prepare(agent.trained_on or game.find_rules(None))
        return game, agent
    agent = named.make_agent(name, named.find_rules(rules))
    if not isinstance(agent, NetworkAgent) or agent.kind != kind:
        raise ConfigError(
            f'{name!r} plays by no network of {kind!r}: python -m dmc writes value networks, and python -m ppo policies'
        )
    return named, agent


def write_onnx(file: Path, game: LearnedGame, agent: NetworkAgent) -> Settings:
    """Write the network by which an agent plays under its rules; return its settings.

    Raises:
        FileError: if the file exists.
        MissingOnnxError: if a library is missing.
        OSError: if the file cannot be written.
    """
    if file.exists():
        raise FileError(f'{file} exists: name a file that does not')
    missing = [name for name in ('onnx', 'onnxscript') if find_spec(name) is None]
    if missing:
        raise MissingOnnxError(f'--onnx needs {" and ".join(missing)}: {installing("onnx")}')
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()  # fails here rather than after the work
    file.unlink()
    module = agent.torch_module()
    assert agent.folder is not None  # since that had a network
    settings = game.settings.load(agent.folder, agent.kind)
    card = game.card.for_rules(agent.rules)
    inputs = module.inputs(VectorEnv(card, agent.rules, deal_streams(EXAMPLES, 1)).positions())
    axes = {axis: torch.export.Dim(axis) for axis in set(AXES.values())}
    with _quietly():
        program = torch.onnx.export(
            module,
            kwargs=inputs,
            input_names=[*inputs],
            output_names=module.outputs,
            dynamic_shapes={name: {0: axes[AXES[name]]} for name in inputs},
            dynamo=True,
            opset_version=OPSET,
            verbose=False,
        )
    assert program is not None
    program.model.producer_name, program.model.producer_version = 'rlcard-big2', __version__
    program.model.metadata_props.update(
        {
            'settings': json.dumps(settings.to_json()),
            'inputs': json.dumps(_describe(module, inputs)),
            'outputs': json.dumps(_describe_outputs(module, game.wording.counted)),
            'weights': f'SHA-256 {checksum(agent.folder / NETWORK)}',
        }
    )
    replace(file, program.save)
    return settings


def _describe(module: NetworkModule, inputs: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """Return what inputs are, and what their columns are, as JSON can hold it."""
    columns = {name: {'columns': value} for name, value in module.columns.items()}
    return {name: {'meaning': MEANINGS[name], **columns.get(name, {})} for name in inputs}


def _describe_outputs(module: NetworkModule, unit: str) -> dict[str, str]:
    texts = POLICY if len(module.outputs) > 1 else {'values': VALUES}
    return {name: texts[name].format(unit) for name in module.outputs}


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep back the exporter's notes, on operators of other libraries and on names of axes."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            yield
    finally:
        logging.disable(logging.NOTSET)
