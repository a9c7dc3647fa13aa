"""Was an answer right for the right reason: sources are changed and removed, and the answer is watched."""
