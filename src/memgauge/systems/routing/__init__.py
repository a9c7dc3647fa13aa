"""Memories that choose among other memories, and learn from what they found."""
