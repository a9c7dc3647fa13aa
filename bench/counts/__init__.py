"""Instructions of the hot kernels, counted: what a machine's noise cannot touch."""
