"""How fast this is beside the alternatives, how it grows, and how far it is from what the machine allows."""
