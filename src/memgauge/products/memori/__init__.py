"""Memori, raw lane: facts of an entity in its own SQLite tables."""
