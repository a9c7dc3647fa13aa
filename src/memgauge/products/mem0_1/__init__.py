"""Mem0 1.x, whose model adds, updates and deletes: the algorithm of the paper."""
