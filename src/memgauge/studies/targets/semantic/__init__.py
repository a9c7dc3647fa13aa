"""What relaxed credit deserves: contested cases with control arms, judged blind."""
