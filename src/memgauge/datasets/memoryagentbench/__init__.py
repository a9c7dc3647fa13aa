"""MemoryAgentBench: long texts told in pieces, and questions about them (Hu et al. 2025)."""
