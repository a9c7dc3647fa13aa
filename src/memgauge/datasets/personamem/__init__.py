"""PersonaMem: what an assistant should remember of whom it talks to, asked by letters (Jiang et al. 2025)."""
