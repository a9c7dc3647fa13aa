"""A memory behind the tools of an MCP server, described by a file and without code of its own."""
