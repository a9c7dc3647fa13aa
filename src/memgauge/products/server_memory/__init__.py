"""The official MCP memory server: a knowledge graph in one file, searched by substrings."""
