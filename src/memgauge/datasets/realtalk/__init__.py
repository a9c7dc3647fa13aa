"""REALTALK: ten real chats of pairs who met for it (Lee et al. 2025)."""
