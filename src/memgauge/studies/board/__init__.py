"""The published board: products and baselines in embedding lanes, recomputed from bundles without texts."""
