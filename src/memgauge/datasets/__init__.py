"""Benchmarks: one module each, opened by name, refused when they are not what they claim."""
