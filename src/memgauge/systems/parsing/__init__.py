"""Facts out of turns, by rules alone."""
