"""What production traffic says of a memory without gold, how it drifts, and what a few labels add."""
