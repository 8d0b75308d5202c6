"""A command whose learner is on another node of the cluster: it runs there, and is heard and interrupted from here."""

import os
import pickle
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from common.cli import reported
from common.ray_cluster import PROBE_SECONDS, ClusterError, Node, connected, here, nodes, on_node, plain
from common.versions import CHECKOUT
from training.config import RunConfig
from training.run import interrupts_noted

HEAR_SECONDS = 0.3  # between two looks at what the command has printed


class Heard(NamedTuple):
    """What a command has printed since it was last asked, and how it ended."""

    out: bytes
    err: bytes
    status: int | None  # None while it runs


class Errand:
    """Runs a command in a process of its own on the node where this is; the command ends with it."""

    def obstacle(self, folder: str, token: Path, secret: str) -> str | None:
        """Return why the command cannot run here: its folder, or a file in the run's folder, cannot be seen."""
        if not os.path.isdir(folder):
            return f'has no folder {folder}'
        with suppress(OSError):
            if (Path(folder) / token).read_text() == secret:
                return None
        return f'does not see savedir={token.parent}: it must be in a folder that both nodes share'

    def begin(self, program: str, command: bytes, folder: str) -> None:
        """Start the command, pickled, in a folder."""
        self._files = [_nameless_file() for _ in range(2)]
        self._read = [0, 0]
        own = {name: value for name, value in os.environ.items() if not name.startswith('RAY_')}  # of this process
        paths = os.pathsep.join(filter(None, [str(CHECKOUT), own.get('PYTHONPATH', '')]))
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'training.cluster.remote_learner', program],
            cwd=folder,
            env={**own, 'PYTHONPATH': paths, 'PYTHONUNBUFFERED': '1'},
            stdin=subprocess.PIPE,
            stdout=self._files[0],
            stderr=self._files[1],
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._process.stdin.write(command)
        self._process.stdin.flush()  # and it stays open: its end tells the command that this process is gone

    def hear(self) -> Heard:
        """Wait a moment; return what the command has printed since the last call."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(HEAR_SECONDS)
        status = self._process.poll()
        return Heard(self._printed(0), self._printed(1), status)

    def _printed(self, stream: int) -> bytes:
        file = self._files[stream]
        found = os.pread(file, os.fstat(file).st_size - self._read[stream], self._read[stream])
        self._read[stream] += len(found)
        return found

    def pass_on(self, number: int) -> None:
        """Send a signal to the command."""
        self._process.send_signal(number)


def _nameless_file() -> int:
    """Return the descriptor of an empty file that goes when it is closed."""
    descriptor, name = tempfile.mkstemp(prefix='big2-')
    os.unlink(name)
    return descriptor


def run_where_placed(program: str, command: Any) -> bool:
    """Run a command on a node that has its `learner_resources`, unless this one has; return whether it ran.

    Args:
        program: its name, for errors.
        command: of a trainer, see `training.cli.Command`; it is pickled.

    Returns:
        False if this node has them, and the command is to run here.

    Raises:
        SystemExit: with the status of the command, if that is not 0.
        ClusterError: if no node has them, they are in use, or the node does not see the run's folder.
    """
    config = command.config
    with connected(config.ray):
        node = find_node(config.learner_resources, nodes(), here())
        if node.id == here():
            return False
        status = _run_on(node, program, command)
    if status:
        sys.exit(status)
    return True


def find_node(wanted: tuple[str, ...], known: list[Node], own: str) -> Node:
    """Return a node that has resources, as the settings name them; the one with an id of `own` if it has them.

    Raises:
        ClusterError: if there is none.
    """
    needed = amounts(wanted)
    fit = [node for node in known if all(node.resources.get(name, 0) >= many for name, many in needed.items())]
    if not fit:
        found = '; '.join(f'{node.name} has {_listed(node.resources)}' for node in known)
        raise ClusterError(f'learner_resources={" ".join(wanted)}: no node has them: {found}')
    return min(fit, key=lambda node: (node.id != own, node.id))


def amounts(wanted: tuple[str, ...]) -> dict[str, float]:
    """Return resources by name, given words such as gpu=1."""
    return {name: float(number) for name, number in (word.split('=') for word in wanted)}


def _listed(resources: Mapping[str, float]) -> str:
    return ', '.join(f'{name}={many:g}' for name, many in sorted(resources.items())) or 'none'


def _run_on(node: Node, program: str, command: Any) -> int:
    """Run a command on a node, and return its exit status; see `run_where_placed`."""
    import ray

    config: RunConfig = command.config
    needed = amounts(config.learner_resources)
    kind = ray.remote(Errand).options(
        num_cpus=0,  # the trainer itself keeps cores from its actors
        num_gpus=needed.get('gpu', 0),
        resources={name: many for name, many in needed.items() if name not in ('cpu', 'gpu')},
        scheduling_strategy=on_node(node),
    )
    errand = kind.remote()
    try:
        with _token(config.savedir) as (path, secret):
            obstacle = ray.get(errand.obstacle.remote(os.getcwd(), path, secret), timeout=PROBE_SECONDS)
        if obstacle is not None:
            raise ClusterError(f'learner_resources={" ".join(config.learner_resources)}: node {node.name} {obstacle}')
        address = ray.get_runtime_context().gcs_address
        ray.get(errand.begin.remote(program, pickle.dumps(_there(command, address)), os.getcwd()))
        with interrupts_noted() as interrupts:
            return _relay(errand, interrupts)
    except ray.exceptions.GetTimeoutError as error:
        wanted = ' '.join(config.learner_resources)
        raise ClusterError(f'learner_resources={wanted}: those of node {node.name} are in use') from error
    except ray.exceptions.RayError as error:
        reason = plain(error).splitlines()[-1]
        raise ClusterError(f"the learner's node {node.name} has left: resume with --resume ({reason})") from error


def _there(command: Any, address: str) -> Any:
    """Return a command as it runs on its node."""
    return replace(command, config=replace(command.config, ray=address, learner_resources=()))


@contextmanager
def _token(folder: Path) -> Iterator[tuple[Path, str]]:
    """Have a file in a folder that says what nobody else knows; what was not there before goes again."""
    secret, path = secrets.token_hex(), folder / f'visible-{secrets.token_hex(4)}'
    made = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        path.write_text(secret)
        yield path, secret
    finally:
        path.unlink(missing_ok=True)
        for one in made:
            with suppress(OSError):
                one.rmdir()


def _relay(errand: Any, interrupts: list[int]) -> int:
    """Print what a command prints, and pass on signals, until it has ended; return its exit status."""
    import ray

    while True:
        while interrupts:
            ray.get(errand.pass_on.remote(interrupts.pop(0)))
        heard = ray.get(errand.hear.remote())
        for stream, found in ((sys.stdout, heard.out), (sys.stderr, heard.err)):
            stream.buffer.write(found)
            stream.flush()
        if heard.status is not None:
            return int(heard.status if heard.status >= 0 else 128 - heard.status)


def main() -> None:
    """Run the command that standard input holds, and have it end when that ends.

    Ray kills it when its actor ends in order; this is for an actor that is killed.
    """
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # which all processes of Ray have blocked
    signal.signal(signal.SIGINT, signal.default_int_handler)
    command = pickle.load(sys.stdin.buffer)
    Thread(target=_leave_with_input, daemon=True).start()
    with reported(sys.argv[1]):
        command.run()


def _leave_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1):  # not through its buffer, whose lock would hold up the end of this process
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == '__main__':
    main()
