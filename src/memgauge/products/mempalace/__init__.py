"""MemPalace, raw lane: a wing a scope in one palace."""
