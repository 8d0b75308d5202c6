"""A memory fence, without which processors other than x86 may show writes to other cores in another order."""

from typing import Any

from numba import types
from numba.extending import intrinsic

from rlcard_kit.jit import kernel


@intrinsic
def _fence(context: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence('seq_cst')
        return context.get_dummy_value()

    return types.void(), generate


@kernel
def fence() -> None:
    """Have all reads and writes before this call be done, for all cores, before any after it."""
    _fence()  # type: ignore[call-arg]  # numba gives it the context
