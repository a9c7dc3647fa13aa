"""MemBench: lives told to an agent, or watched by it, with questions of four options."""
