"""Why one search did, or did not, return what was expected: from the record, and asked again where that is wanted."""
