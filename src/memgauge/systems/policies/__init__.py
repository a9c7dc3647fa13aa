"""Built-in memories: small, honest, deterministic."""
