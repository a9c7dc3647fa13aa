"""Boards: rows of a ledger beside each other, where they may be compared, and nowhere else."""
