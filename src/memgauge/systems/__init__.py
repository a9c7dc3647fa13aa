"""Memory systems under test: the protocol, the built-in policies, adapters, conformance."""
