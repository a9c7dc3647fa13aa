"""The published board: products and baselines in embedding lanes, each row recomputed from a bundle without texts."""
