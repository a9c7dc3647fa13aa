"""Attacks on a memory, each with a benign twin and a positive control, and how often they work."""
