"""Basic-memory: Markdown notes behind MCP tools, full-text search in SQLite."""
