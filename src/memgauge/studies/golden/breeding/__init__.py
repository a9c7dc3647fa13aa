"""Mutants by construction: what can be done wrong, at which method and stage, on references of different make."""
