"""A-MEM (agiresearch/A-mem), from a checkout."""
