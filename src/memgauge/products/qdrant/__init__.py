"""Qdrant in local mode, raw lane: the client's own store with exact search, not the server."""
