"""Servers of the leaderboard's contract with one defect each, and what the preflight says of them."""
