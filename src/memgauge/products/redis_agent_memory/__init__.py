"""Redis agent memory server by its HTTP API, against recorded shapes."""
