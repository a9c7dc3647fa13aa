"""The contract of the Agent Memory Leaderboard, both ways: a server of it as a system, and a system behind it."""
