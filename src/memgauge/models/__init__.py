"""Local models, one folder each, and what serves them: in their own environments, on loopback alone."""
