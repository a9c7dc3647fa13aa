"""Mutants by construction: what can be done wrong, at which method and stage, on three references of different make."""
