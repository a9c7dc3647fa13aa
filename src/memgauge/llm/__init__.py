"""From what was retrieved to an answer."""
