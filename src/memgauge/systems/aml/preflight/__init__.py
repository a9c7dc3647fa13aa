"""Look at a server of the contract before the platform does: a row a rule, with figures and a remedy."""
