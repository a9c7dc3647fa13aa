"""The exit codes; documented in `memgauge --help` and the README."""

OK = 0
FAILED = 1
"""A check was made and failed."""
WRONG_USE = 2
"""A mistake in the command, or something missing."""
PARTIAL = 3
"""Nothing failed, and something that verification was asked for could not be checked."""
UNPROVEN = 4
"""Nothing failed and everything was checked, and where a run comes from is not known."""
INTERRUPTED = 130
