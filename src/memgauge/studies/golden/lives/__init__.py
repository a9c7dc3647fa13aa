"""Lives: long programs, in a memory that is old or full, for people of every kind."""
