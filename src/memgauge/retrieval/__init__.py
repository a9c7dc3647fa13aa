"""Search kernels: sparse, dense, fusion, embedders and their cache. They know no memory system."""
