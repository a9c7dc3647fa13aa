"""Importers of published results: each reads one format of others into claim sheets, and verifies nothing."""
