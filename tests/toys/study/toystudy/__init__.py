"""A study from elsewhere: how long the questions of a dataset are."""
