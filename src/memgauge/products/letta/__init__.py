"""Letta's archival memory on a Postgres in a folder."""
