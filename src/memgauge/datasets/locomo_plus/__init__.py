"""LoCoMo-Plus: cues laid into the conversations of LoCoMo, and triggers that only make sense with them."""
