"""Chroma, raw lane: a collection a scope, approximate search."""
