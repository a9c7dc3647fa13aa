"""BEAM: chats of 100 thousand to 10 million tokens, probed for ten abilities (Tavakoli et al. 2025)."""
