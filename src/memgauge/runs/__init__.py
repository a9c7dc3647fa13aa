"""Running systems on datasets and freezing what they returned."""
