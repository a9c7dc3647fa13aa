"""Rows of the ledger: what follows from one bundle, kept by digest so that one more submission costs itself alone."""
