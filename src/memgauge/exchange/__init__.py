"""Traces from elsewhere become runs, and runs become files that other tools read."""
