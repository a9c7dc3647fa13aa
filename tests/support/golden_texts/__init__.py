"""Sentences with what they say of a value: some to make rules from, and some from which none was made."""
