"""claude-mem: observations in SQLite behind its worker (Bun), found by words."""
