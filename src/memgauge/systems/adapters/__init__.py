"""Memory systems that others wrote, behind the protocol; each imports its product when it is opened."""
