"""The engine as WebAssembly: kernels of the games, compiled for browsers and Node, and their host in JavaScript."""
