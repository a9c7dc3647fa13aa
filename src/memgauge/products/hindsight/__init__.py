"""Hindsight on the Postgres that it brings."""
