"""The Git half of the world: a timeline's commits in a real repository, served read-only."""
