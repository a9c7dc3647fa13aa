"""Local models: which there are, where they are installed, starting one, and who it says it is."""
