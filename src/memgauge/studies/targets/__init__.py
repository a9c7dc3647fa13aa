"""The targets study: the same frozen rankings under every scoring contract (TIAP and MTEL-Mem)."""
