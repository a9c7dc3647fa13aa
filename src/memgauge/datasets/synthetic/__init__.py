"""A generated benchmark of our own wording, whose truth is known."""
