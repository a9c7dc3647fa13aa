"""EverOS by its HTTP API: what its model makes of turns, in recorded shapes."""
