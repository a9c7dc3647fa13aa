"""The exit codes; documented in `memgauge --help` and the README."""

OK = 0
FAILED = 1
"""A check was made and failed."""
WRONG_USE = 2
"""A mistake in the command, or something missing."""
INTERRUPTED = 130
