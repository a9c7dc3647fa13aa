"""How does a reader walk through runs: pages on a server that only reads, or the same pages as files."""
