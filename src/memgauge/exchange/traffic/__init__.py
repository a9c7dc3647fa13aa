"""What a memory did in production, whoever recorded it: a table of operations, and one of their records."""
