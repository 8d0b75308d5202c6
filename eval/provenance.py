"""Where numbers come from: the command, the sources, the versions and the machine that made them."""

import os
import platform
import shlex
import sys
from pathlib import Path
from typing import Any

from llvmlite import binding

from common.versions import source_digest, versions

FEATURES = ('avx2', 'avx512f', 'avx512bf16', 'avx512vnni', 'amx-bf16', 'neon', 'bf16', 'sve')  # that speeds depend on


def origin_of_numbers() -> dict[str, Any]:
    """Return the command that runs now, and what it runs with and on."""
    return {
        'command': f'python -m eval {shlex.join(sys.argv[1:])}',
        'sources': source_digest(),
        'versions': versions(),
        'machine': machine(),
    }


def machine() -> dict[str, Any]:
    """Return the operating system, the processor, the number of cores in use and the processor's vector units."""
    affinity = getattr(os, 'sched_getaffinity', None)
    features = binding.get_host_cpu_features()
    return {
        'system': platform.platform(),
        'processor': _processor(),
        'cores': len(affinity(0)) if affinity else os.cpu_count(),
        'features': [name for name in FEATURES if features.get(name)],
    }


def _processor() -> str:
    """Return the name of the processor, and that of its architecture as compilers call it."""
    model = platform.processor()
    if Path('/proc/cpuinfo').exists():
        lines = Path('/proc/cpuinfo').read_text().splitlines()
        models = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
        model = models[0] if models else model
    return f'{model or platform.machine()} ({binding.get_host_cpu_name()})'
