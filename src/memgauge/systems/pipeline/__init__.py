"""A memory that keeps facts with the time that they hold."""
