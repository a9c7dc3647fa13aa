"""Products that others made, each in an environment of its own: what they are, installing them, finding them."""

from memgauge.systems.environments.products import Product, product, product_names, read_product

__all__ = ["Product", "product", "product_names", "read_product"]
