"""RHELM: a year of ten invented people, in chats with an assistant, e-mails and documents (Microsoft 2026)."""
