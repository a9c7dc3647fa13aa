"""What a trajectory is worth: pure functions of calls, answers and a timeline."""
