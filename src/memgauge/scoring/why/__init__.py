"""Why one search did, or did not, return what was expected: from its record, or asked again."""
