"""HaluMem: long lives of simulated users, told session by session (Chen et al. 2025)."""
