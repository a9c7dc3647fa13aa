"""Datasets with one thing changed: the same world under other names, at another time, without its evidence."""
