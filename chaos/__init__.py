"""Accidents on purpose: recipes that kill runs and spoil files. They stay in the checkout; no wheel holds them."""
