"""LongMemEval: 500 questions, each with its own haystack of chat sessions (Wu et al. 2024)."""
