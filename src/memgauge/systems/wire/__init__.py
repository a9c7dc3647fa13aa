"""The wire: memory systems in processes of their own, in any language, or behind HTTP.

What the served side imports is standard library and memgauge's pure modules alone, so that it runs in any Python.
"""
