"""Sheets: the files that people write, typed and frozen, with messages that name file and field."""
