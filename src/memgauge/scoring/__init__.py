"""Measures applied to runs under contracts: tables with denominators, comparisons, leaderboards."""
