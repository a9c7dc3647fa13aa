"""One module a row; the order is that of the table."""

ROWS = (
    "scoring",
    "bm25",
    "dense",
    "bootstrap",
    "bootstrap_many",
    "inference",
    "pairs",
    "load",
    "start_up",
    "player",
    "overhead",
    "cells",
)
HEAVY = ("embedding", "eight_bit")
"""Those whose peers take gigabytes, in an environment of their own: ``make bench-embed``."""
