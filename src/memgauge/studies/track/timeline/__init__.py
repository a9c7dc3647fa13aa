"""What happened, and what is asked about it: the schema, its importer, its statistics and its lint."""
