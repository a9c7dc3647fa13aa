"""The ledger of claims: published numbers of the field, beside what can be recomputed of them."""
