"""Honcho by its HTTP API, against recorded shapes."""
