"""Rows of the ledger: what follows from one bundle, kept so that one more submission costs itself alone."""
