"""Small timelines, clones and repositories for the tests of the track study."""
