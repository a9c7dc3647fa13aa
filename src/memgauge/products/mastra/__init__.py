"""Mastra's memory on LibSQL: messages of a thread, recalled by meaning."""
