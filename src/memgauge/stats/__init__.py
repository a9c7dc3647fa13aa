"""Resampling, paired tests, rank agreement: pure functions of arrays."""
