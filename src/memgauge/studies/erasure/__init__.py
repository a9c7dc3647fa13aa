"""Erasure: what a memory still holds of somebody whom it was asked to forget, and what nobody looked at."""
