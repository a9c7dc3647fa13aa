"""What may stand on a public board, who ran it, and who checked it: a registry, and all that follows from it."""
