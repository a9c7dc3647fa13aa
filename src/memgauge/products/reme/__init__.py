"""ReMe: notes in Markdown, found by words."""
