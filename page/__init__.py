"""The page of the server without a server: files for any host, with the engine in the browser."""
