"""Cognee: chunks, summaries and a graph, in files."""
