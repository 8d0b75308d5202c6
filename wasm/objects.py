"""Make a module of LLVM's object file: give it the memory and stack that it imports, and exports.

An object file is a module whose numbers of functions and addresses of data are already right if no other is linked to
it. See the specification of WebAssembly, chapter 5, and `Linking.md` of its tool conventions.
"""

from collections.abc import Iterable, Iterator

PAGE = 1 << 16
HEAP = 16 * PAGE  # the data is at 0, the stack grows down from here, and what kernels and their host allocate is above
LEAST_STACK = PAGE
HEADER = b'\0asm\1\0\0\0'
CUSTOM, TYPES, IMPORTS, FUNCTIONS, _, MEMORIES, GLOBALS, EXPORTS = range(8)
COUNT_OF_DATA, CODE, DATA = 12, 10, 11
KEPT = TYPES, IMPORTS, FUNCTIONS, MEMORIES, GLOBALS, EXPORTS, COUNT_OF_DATA, CODE, DATA  # in order
PROVIDED = '__linear_memory', '__stack_pointer'
MATH = 'exp', 'log', 'pow'  # functions that the host provides: it has them as `Math.exp` and so on
SYMBOL_TABLE, FUNCTION_SYMBOL, UNDEFINED = 8, 0, 0x10
I32, MUTABLE, I32_CONST, END = 0x7F, 1, 0x41, 0x0B


class Reader:
    """Reads numbers and names from bytes, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    def __bool__(self) -> bool:
        return self._position < len(self._data)

    def number(self) -> int:
        """Read a whole number that is not negative, LEB128."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def take(self, count: int) -> bytes:
        """Read bytes."""
        self._position += count
        return self._data[self._position - count : self._position]

    def block(self) -> bytes:
        """Read bytes after their number."""
        return self.take(self.number())


def export(data: bytes, names: Iterable[str]) -> bytes:
    """Return the module of an object file, which exports functions by name, and `memory`.

    Raises:
        ValueError: if the object file needs functions that it does not have, or too much memory.
    """
    sections, functions = _read(data)
    imports = {name: kind for name, kind in _imports(Reader(sections[IMPORTS])) if name not in PROVIDED}
    missing = [name for name in imports if name not in MATH]
    if missing:
        raise ValueError(f'the kernels need functions that WebAssembly does not have: {", ".join(missing)}')
    if len(sections[DATA]) > HEAP - LEAST_STACK:
        raise ValueError(f'{len(sections[DATA])} bytes of tables: expected at most {HEAP - LEAST_STACK}')
    imported = [_block(b'env') + _block(name.encode()) + b'\0' + _number(kind) for name, kind in imports.items()]
    sections[IMPORTS] = _number(len(imported)) + b''.join(imported)
    sections[MEMORIES] = bytes([1, 0]) + _number(HEAP // PAGE)
    sections[GLOBALS] = bytes([1, I32, MUTABLE, I32_CONST]) + _number(HEAP) + bytes([END])
    exported = [_block(b'memory') + bytes([2, 0])]
    exported += [_block(name.encode()) + b'\0' + _number(functions[name]) for name in sorted(names)]
    sections[EXPORTS] = _number(len(exported)) + b''.join(exported)
    return HEADER + b''.join(bytes([kind]) + _block(sections[kind]) for kind in KEPT)


def _read(data: bytes) -> tuple[dict[int, bytes], dict[str, int]]:
    """Return the sections of an object file by kind, and the numbers of its functions by name."""
    sections, functions, reader = dict[int, bytes](), dict[str, int](), Reader(data)
    reader.take(len(HEADER))
    while reader:
        kind, content = reader.number(), reader.block()
        if kind != CUSTOM:
            sections[kind] = content
        elif content.startswith(b'\7linking'):
            functions = dict(_symbols(Reader(content[len(b'\7linking') :])))
    return sections, functions


def _imports(reader: Reader) -> Iterator[tuple[str, int]]:
    """Yield the names of imports and their types: functions, and a memory and a global, with another number each."""
    for _ in range(reader.number()):
        reader.block()
        name, is_function = reader.block().decode(), reader.number() == 0
        yield name, reader.number()
        if not is_function:
            reader.number()


def _symbols(linking: Reader) -> Iterator[tuple[str, int]]:
    """Yield the name and number of each function of a section `linking`."""
    linking.number()  # version
    while linking:
        kind, content = linking.number(), Reader(linking.block())
        if kind == SYMBOL_TABLE:
            for _ in range(content.number()):
                yield from _symbol(content)


def _symbol(symbols: Reader) -> Iterator[tuple[str, int]]:
    kind, flags = symbols.number(), symbols.number()
    if kind == 1:
        symbols.block()
        if not flags & UNDEFINED:
            for _ in range(3):
                symbols.number()
    elif kind == 3:
        symbols.number()
    else:
        number = symbols.number()
        if not flags & UNDEFINED:
            name = symbols.block().decode()
            if kind == FUNCTION_SYMBOL:
                yield name, number


def _block(content: bytes) -> bytes:
    return _number(len(content)) + content


def _number(value: int) -> bytes:
    """Write a whole number that is not negative, LEB128; one more zero bit, so that it is right as a signed one."""
    encoded = bytearray()
    while value >= 0x40:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])
