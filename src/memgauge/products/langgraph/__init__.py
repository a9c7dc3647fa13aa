"""LangGraph's store, raw lane: InMemoryStore or SqliteStore with a vector index and a time to live."""
