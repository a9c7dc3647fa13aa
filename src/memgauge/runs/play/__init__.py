"""What makes a run: a plan, an engine, and processes that hold nothing of what would be right."""
