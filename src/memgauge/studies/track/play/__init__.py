"""Playing an instance: questions one after another, one turn, one call, one row."""
