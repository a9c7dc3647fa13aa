"""Where in a prompt memory survives, and how much context is effective: with a model, and without one."""
