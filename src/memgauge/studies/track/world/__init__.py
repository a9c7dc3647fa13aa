"""The state that tools read: event log, simulated clock, pure reducers."""
