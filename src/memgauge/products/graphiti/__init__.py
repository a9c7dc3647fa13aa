"""Graphiti on FalkorDBLite: episodes, and facts between names."""
