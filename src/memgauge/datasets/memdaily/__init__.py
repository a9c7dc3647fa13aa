"""MemDaily: short Chinese lives made by MemSim, each with one question of four options."""
