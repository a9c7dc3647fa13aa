"""Studies: the protocol and the tables of one document each. A study imports no other study."""
