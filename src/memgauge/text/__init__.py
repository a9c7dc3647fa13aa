"""Tokenising, normalising, dates."""
