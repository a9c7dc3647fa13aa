"""Memories that are files: the memory tool of agents, a notes file that only grows, and grep."""
