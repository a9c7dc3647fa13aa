"""How time and memory grow: one module a curve, each size in a process of its own."""

CURVES = ("haystack", "bm25", "world", "questions", "harness", "systems", "resamples")
