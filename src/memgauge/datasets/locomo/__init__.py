"""LoCoMo: ten long conversations of two friends, with evidence by turn (Maharana et al. 2024)."""
