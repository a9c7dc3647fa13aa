"""LanceDB, raw lane: one table, exact search before which scopes are filtered."""
