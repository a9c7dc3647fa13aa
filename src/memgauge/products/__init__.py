"""Memory products: one folder each with its adapter, what it is and needs, and its locked packages."""
