"""Folders of corpus, queries, judgments and candidate lists, in the layouts of BEIR, MTEB and LMEB."""
