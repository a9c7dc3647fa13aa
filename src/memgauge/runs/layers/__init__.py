"""What is laid over a sealed run without changing it: answers, verdicts, signatures."""
