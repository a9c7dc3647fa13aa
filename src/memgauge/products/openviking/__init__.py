"""OpenViking by its HTTP API, against recorded shapes."""
