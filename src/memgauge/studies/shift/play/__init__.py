"""Who finds what: the policies simulated, and any memory system through the engine."""
