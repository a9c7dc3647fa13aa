"""The track study: an agent's memory and state tracking across Slack, Linear and Git (MEMTRACK)."""
