"""FAISS, raw lane: a flat index, and beside it a file with every text, since FAISS stores none."""
