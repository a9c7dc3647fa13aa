"""sqlite-vec, raw lane: vectors in a virtual table of SQLite, exact search in a scope's own part."""
