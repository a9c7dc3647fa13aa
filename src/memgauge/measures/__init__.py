"""Measures as values with a text form: pure functions of rankings, gold and a contract."""
