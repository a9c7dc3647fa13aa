"""Instances made: seed, draft, distractors and counterfactuals, lint, solve-check, sign-off."""
