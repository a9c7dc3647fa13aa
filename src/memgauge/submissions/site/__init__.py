"""The site of a registry: documents and feeds, a pure function of the registry."""
