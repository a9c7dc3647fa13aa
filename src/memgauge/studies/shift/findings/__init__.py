"""What follows from who found what: recovery, ranks, regret, answers, and what survives other readings."""
