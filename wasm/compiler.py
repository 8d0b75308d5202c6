"""Compile numba kernels to WebAssembly: the same functions, for another processor.

numba lowers the kernels to LLVM, here for addresses of 32 bits. All of them become one LLVM module, so its object file
refers to nothing but its own functions and data: it needs no linker, only a memory and exports, see `objects`.

A process that compiles for WebAssembly cannot run kernels: numba keeps one version of each.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import codegen, cpu, types
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher, cpu_target
from numba.np.arrayobj import make_array, populate_array
from typing_extensions import override

from wasm.objects import HEAP, export

TRIPLE = 'wasm32-unknown-unknown'
FEATURES = '+simd128,+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals'
INT, LONG = ir.IntType(32), ir.IntType(64)
# Memory is handed out in ascending order. What a kernel allocates is free again when the call from outside returns.
RUNTIME = f"""
@heap = global i32 {HEAP}
declare i32 @llvm.wasm.memory.size.i32(i32)
declare i32 @llvm.wasm.memory.grow.i32(i32, i32)
declare void @llvm.trap()
define i32 @allocate(i32 %size) {{
  %start = load i32, ptr @heap
  %rounded = add i32 %size, 15
  %whole = and i32 %rounded, -16
  %end = add i32 %start, %whole
  store i32 %end, ptr @heap
  %pages = call i32 @llvm.wasm.memory.size.i32(i32 0)
  %last = lshr i32 %end, 16
  %missing = sub i32 %last, %pages
  %is_missing = icmp sge i32 %missing, 0
  br i1 %is_missing, label %grow, label %done
grow:
  %more = add i32 %missing, 1
  %before = call i32 @llvm.wasm.memory.grow.i32(i32 0, i32 %more)
  %failed = icmp slt i32 %before, 0
  br i1 %failed, label %full, label %done
full:
  call void @llvm.trap()
  unreachable
done:
  ret i32 %start
}}
define void @release(i32 %start) {{ store i32 %start, ptr @heap ret void }}
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {{
  %block = call ptr @NRT_Allocate(i64 %size)
  ret ptr %block
}}
define ptr @NRT_Allocate(i64 %size) {{
  %short = trunc i64 %size to i32
  %start = call i32 @allocate(i32 %short)
  %block = inttoptr i32 %start to ptr
  ret ptr %block
}}
define ptr @NRT_MemInfo_data_fast(ptr %block) {{ ret ptr %block }}
define void @NRT_Free(ptr %block) {{ ret void }}
define void @NRT_incref(ptr %block) {{ ret void }}
define void @NRT_decref(ptr %block) {{ ret void }}
"""
RUNTIME_EXPORTS = 'allocate', 'release'


class Entry(NamedTuple):
    """A kernel to export, and the types of its arguments: see `array_of` for arrays.

    From outside, an array is its address and its dimensions, all in 32 bits, and a record is its address.
    """

    kernel: Callable[..., Any]
    arguments: Sequence[Any]


def record_of(kind: npt.DTypeLike) -> types.Record:
    """Return the type of a record of a dtype."""
    return numba.typeof(np.zeros(1, kind)[0])


def array_of(kind: npt.DTypeLike, dimensions: int = 1) -> types.Array:
    """Return the type of arrays of a dtype, contiguous and writable."""
    return numba.typeof(np.empty((1,) * dimensions, kind))


@global_compiler_lock
def compile_kernels(entries: Mapping[str, Entry]) -> bytes:
    """Return a module of WebAssembly that exports kernels by name, `memory`, `allocate` and `release`.

    The same kernels and versions of numba and LLVM give the same bytes.
    """
    context = _retarget()
    wrappers, libraries = ir.Module('wrappers'), dict[Any, None]()
    for name, entry in entries.items():
        _write_wrapper(context, wrappers, name, _compile(entry, libraries))
    module = llvm.parse_assembly(RUNTIME)
    for library in libraries:
        library._ensure_finalized()
        module.link_in(library._final_module, preserve=True)
    module.link_in(llvm.parse_assembly(str(wrappers)))
    exports = {*RUNTIME_EXPORTS, *entries}
    codegen = context.codegen()
    module.triple, module.data_layout = TRIPLE, codegen._data_layout
    for function in module.functions:
        if not function.is_declaration and function.name not in exports:
            function.linkage = 'internal'
    for variable in module.global_variables:
        variable.linkage = 'internal'
    passes, builder = codegen._module_pass_manager()
    passes.run(module, builder)
    return export(codegen._tm.emit_object(module), exports)


class _Library(codegen.AOTCodeLibrary):
    """The code of one kernel, optimised only after all have been linked."""

    @override
    def _optimize_functions(self, ll_module: llvm.ModuleRef) -> None:
        ll_module.data_layout = self._codegen._data_layout

    @override
    def _optimize_final_module(self) -> None:
        pass


class _Codegen(codegen.AOTCPUCodegen):
    """Code for WebAssembly, which never runs in this process."""

    _library_class = _Library

    @override
    def _init(self, llvm_module: Any) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        self._tm = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
        self._tm_features = FEATURES
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = False, 0

    @override
    def _create_empty_module(self, name: str) -> ir.Module:
        module = super()._create_empty_module(name)
        module.triple = TRIPLE
        return module


class _Context(cpu.CPUContext):
    """Lowers kernels for WebAssembly, without wrappers for Python and without addresses of this process."""

    allow_dynamic_globals = False

    @override
    def add_dynamic_addr(self, builder: ir.IRBuilder, *_: Any, **__: Any) -> ir.Constant:
        return ir.Constant(self.get_value_type(types.voidptr), None)  # of a kernel as an object, which nothing reads

    @override
    def create_cpython_wrapper(self, *_: Any, **__: Any) -> None:
        pass

    @override
    def create_cfunc_wrapper(self, *_: Any, **__: Any) -> None:
        pass

    @override
    def post_lowering(self, *_: Any) -> None:
        pass

    @override
    def get_executable(self, *_: Any) -> Callable[[Any], None]:
        return [].append  # a built-in function, which numba insists on, that equals no other


def _retarget() -> _Context:
    """Let numba compile for WebAssembly from now on, and neither read nor write compiled code."""
    context = cpu_target.target_context
    if not isinstance(context, _Context):
        context.refresh()  # what it loads at first compiles functions for this processor
        context.__class__ = _Context
        context._internal_codegen = _Codegen('wasm')
        CPUDispatcher._cache = property(lambda _: NullCache(), lambda *_: None)  # type: ignore[attr-defined]
    return context


def _compile(entry: Entry, libraries: dict[Any, None]) -> Any:
    """Compile a kernel and return its descriptor; add all libraries that it needs to `libraries`."""
    kernel: Any = entry.kernel
    kernel.compile(tuple(entry.arguments))
    result = kernel.overloads[tuple(entry.arguments)]
    _add_libraries(result.library, libraries)
    return result.fndesc


def _add_libraries(library: Any, found: dict[Any, None]) -> None:
    if library not in found:
        found[library] = None
        for other in library._linking_libraries:
            _add_libraries(other, found)


def _write_wrapper(context: _Context, module: ir.Module, name: str, callee: Any) -> None:
    """Write the function that is called from outside: it makes the kernel's arguments, and traps on its errors."""
    result = context.get_value_type(callee.restype) if callee.restype != types.none else ir.VoidType()
    parameters = [parameter for kind in callee.argtypes for parameter in _parameters(context, kind)]
    function = ir.Function(module, ir.FunctionType(result, parameters), name)
    builder = ir.IRBuilder(function.append_basic_block())
    heap = module.globals.get('heap') or ir.GlobalVariable(module, INT, 'heap')
    start, given = builder.load(heap), iter(function.args)
    arguments = [_argument(context, builder, kind, given) for kind in callee.argtypes]
    inner = context.declare_function(module, callee)
    status, value = context.call_conv.call_function(builder, inner, callee.restype, callee.argtypes, arguments)
    with builder.if_then(status.is_error, likely=False):
        builder.call(module.declare_intrinsic('llvm.trap', (), ir.FunctionType(ir.VoidType(), [])), [])
        builder.unreachable()
    builder.store(start, heap)
    if callee.restype == types.none:
        builder.ret_void()
    else:
        builder.ret(value)


def _parameters(context: _Context, kind: Any) -> list[ir.Type]:
    """Return the types in which an argument comes from outside."""
    if isinstance(kind, types.Array):
        return [INT] * (1 + kind.ndim)
    return [INT if isinstance(kind, types.Record) else context.get_value_type(kind)]


def _argument(context: _Context, builder: ir.IRBuilder, kind: Any, given: Iterator[Any]) -> Any:
    """Return an argument of a kernel, made of what comes from outside."""
    value = next(given)
    if isinstance(kind, types.Record):
        return builder.inttoptr(value, context.get_value_type(kind))
    if not isinstance(kind, types.Array):
        return value
    array = make_array(kind)(context, builder)
    data = builder.inttoptr(value, context.get_data_type(kind.dtype).as_pointer())
    shape = [builder.sext(next(given), LONG) for _ in range(kind.ndim)]
    itemsize = LONG(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(array, data, shape, strides, itemsize, meminfo=None)
    return array._getvalue()
