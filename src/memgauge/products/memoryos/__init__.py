"""MemoryOS of BAI-LAB, from a checkout."""
