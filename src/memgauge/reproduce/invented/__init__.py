"""Our own world in the shapes of benchmarks whose files do not lie here: written by us, and labelled so."""
