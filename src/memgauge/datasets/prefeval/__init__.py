"""PrefEval: whether a preference that was said once is followed later (Zhao et al. 2025)."""
