"""Clusters by Ray: connecting to one, and checking that all of its nodes run the same. Only this imports Ray."""

import os
import re
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from common.versions import source_digest, versions
from rlcard_kit.errors import Big2Error, FolderInUseError, text_of
from rlcard_kit.files import LOCK, locked
from rlcard_kit.version import __version__

LOCAL, AUTO = 'local', 'auto'
CONNECT_SECONDS = 5.0  # to find out whether anything answers at an address
PROBE_SECONDS = 300.0  # for a node to start a process and import the package, beside others that keep it busy
STORE_BYTES = 1 << 29  # of a cluster on this machine alone
SETTINGS = {
    'RAY_USAGE_STATS_ENABLED': '0',  # it would report its use to its makers
    'RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO': '0',  # and warn of how processes without a GPU will see none
}
PREFIX = 'big2-ray-'  # of the folders of clusters of this machine alone
COLOURS = re.compile(r'\x1b\[[0-9;]*m')
ADVICE = 'start one by `ray start --head`, or take --ray local'


class ClusterError(Big2Error):
    """Raised for a cluster that is not there, that is too small, or whose nodes differ."""


class Node(NamedTuple):
    """A machine of a cluster."""

    id: str
    name: str
    cpus: int
    resources: Mapping[str, float]  # by name, 'cpu' and 'gpu' among them


@contextmanager
def connected(address: str) -> Iterator[None]:
    """Be connected to a cluster; afterwards everything that was started there is gone.

    Args:
        address: 'auto' for the cluster that this machine belongs to, HOST:PORT, or 'local' for one that is started here
            and ends with the context.

    Raises:
        ClusterError: if Ray is not installed, nothing answers at the address, or a node runs other versions.
    """
    os.environ.update({name: value for name, value in SETTINGS.items() if name not in os.environ})
    ray = _import_ray()
    _check_address(address)
    with ExitStack() as stack:
        options = _options(address, stack)
        stack.callback(ray.shutdown)
        _begin(ray, address, options)
        probes = [Probe(node) for node in nodes()]
        for difference in (probe.result() for probe in probes):
            if difference is not None:
                raise ClusterError(difference)
        yield


def _begin(ray: ModuleType, address: str, options: Mapping[str, Any]) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**options, logging_level='error', log_to_driver=False)
    except Exception as error:  # Ray raises nothing more specific if a process of its own does not start in time
        reason = 'no cluster runs on this machine' if address == AUTO else plain(error).splitlines()[0]
        raise ClusterError(f'ray={address!r}: {reason}: {ADVICE}') from error
    finally:
        signal.signal(signal.SIGTERM, handler)  # Ray sets its own


def _import_ray() -> ModuleType:
    try:
        import ray
    except ImportError as error:
        raise ClusterError("ray: Ray is not installed: pip install 'rlcard-big2[ray]', or leave out --ray") from error
    return ray


def _check_address(address: str) -> None:
    """Refuse an address at which nothing answers; Ray itself would wait for minutes."""
    if address in (LOCAL, AUTO):
        return
    host, _, port = address.rpartition(':')
    if not host or not port.isdecimal() or '/' in address or not 0 < int(port) < 1 << 16:
        raise ClusterError(f'ray={address!r} is not an address: write auto, local or HOST:PORT, such as 10.0.0.1:6379')
    try:
        socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise ClusterError(f'ray={address!r}: nothing answers there ({error.strerror or error}): {ADVICE}') from error


def _options(address: str, stack: ExitStack) -> dict[str, Any]:
    """Return what `ray.init` is told."""
    if address != LOCAL:
        return {'address': address}
    folder = stack.enter_context(own_folder())
    return {
        'address': LOCAL,
        'include_dashboard': False,
        'object_store_memory': STORE_BYTES,
        '_temp_dir': str(folder),
        '_node_ip_address': '127.0.0.1',
    }


@contextmanager
def own_folder() -> Iterator[Path]:
    """Make a folder for a cluster of this machine alone; remove those of processes that were killed.

    It is locked while this process lives, and the lock alone tells.
    """
    for abandoned in Path(tempfile.gettempdir()).glob(f'{PREFIX}*'):
        if (abandoned / LOCK).exists():  # or it is just being made
            with suppress(OSError, FolderInUseError), locked(abandoned):
                _remove(abandoned)
    with ExitStack() as held:
        while True:
            folder = Path(tempfile.mkdtemp(prefix=PREFIX))
            with suppress(FolderInUseError):  # by another process, which takes it for abandoned
                held.enter_context(locked(folder))
                break
        held.callback(_remove, folder)
        yield folder


def _remove(folder: Path) -> None:
    """Remove a locked folder; if some process still writes to it, leave the rest to be removed later."""
    shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        (folder / LOCK).touch()


def plain(error: BaseException) -> str:
    """Return the text of an error without the colours that Ray gives it."""
    return COLOURS.sub('', text_of(error)).strip()


def nodes() -> list[Node]:
    """Return the nodes that are alive, in the order of their ids."""
    import ray

    alive = [node for node in ray.nodes() if node['Alive']]
    return sorted(
        Node(
            node['NodeID'],
            f'{node["NodeName"] or node["NodeManagerAddress"]} ({node["NodeID"][:6]})',
            int(node['Resources'].get('CPU', 0)),
            _resources(node['Resources']),
        )
        for node in alive
    )


def _resources(found: Mapping[str, float]) -> dict[str, float]:
    """Return resources as people name them, without those that every node has, and Ray uses itself."""
    own = {name: many for name, many in found.items() if ':' not in name and not name.endswith('memory')}
    return {{'CPU': 'cpu', 'GPU': 'gpu'}.get(name, name): many for name, many in own.items()}


def free_cpus() -> int:
    """Return how many CPUs of the cluster nothing has claimed."""
    import ray

    return int(ray.available_resources().get('CPU', 0))


def check_room(setting: str, wanted: int) -> None:
    """Raise ClusterError if the cluster has fewer free CPUs than a setting wants, one for each."""
    free = free_cpus()
    if wanted > free:
        found = ', '.join(f'{node.name}: {node.cpus}' for node in nodes())
        raise ClusterError(f'{setting}={wanted}: the cluster has {free} free CPUs ({found}): ask for {free} or fewer')


def on_node(node: Node) -> Any:
    """Return what has Ray run something on a node and nowhere else."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node.id, soft=False)


class Probe:
    """Finds out whether a node runs the same as this process; begun when it is made.

    Args:
        node: to look at.
    """

    def __init__(self, node: Node) -> None:
        import ray

        self.node = node
        self._reference = ray.remote(about).options(num_cpus=0, scheduling_strategy=on_node(node)).remote()

    @property
    def is_done(self) -> bool:
        """Whether `result` would return at once."""
        import ray

        return bool(ray.wait([self._reference], timeout=0)[0])

    def result(self) -> str | None:
        """Return in what the node differs, or why it cannot run the package; None if it can and does not.

        A node that has left meanwhile is not to blame for it: the result is None.
        """
        import ray

        try:
            return difference(self.node.name, ray.get(self._reference, timeout=PROBE_SECONDS), about())
        except ray.exceptions.RayError as error:
            if self.node.id not in {node.id for node in nodes()}:
                return None
            reason = plain(error).splitlines()[-1]
            return f'node {self.node.name} cannot run this program: {reason}; it needs the same checkout and packages'


def difference(name: str, there: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """Return a line on what differs between two nodes' `about`; None if nothing does."""
    for key in here:
        if there.get(key) != here[key]:
            return (
                f'node {name} runs {key} {there.get(key)}, and this process {here[key]}: install the same on all nodes'
            )
    return None


def about() -> dict[str, str]:
    """Return what all nodes must have in common."""
    return {**versions(), 'rlcard-big2': __version__, 'sources': source_digest()[:12]}


def here() -> str:
    """Return the id of the node of this process."""
    import ray

    return str(ray.get_runtime_context().get_node_id())


def work_in(folder: str) -> None:
    """Work in a folder, that of the command, if this node has it: names of files are relative to it."""
    if os.path.isdir(folder):
        os.chdir(folder)
