"""Adapters that age: the newest version of a product beside the pinned one, and what changed."""
