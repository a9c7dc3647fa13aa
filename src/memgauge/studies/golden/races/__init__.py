"""Races: real threads and connections on one memory, and what their histories show that no order explains."""
