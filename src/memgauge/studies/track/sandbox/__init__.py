"""Where an agent's commands and file tools run: its own files, one Git address, nothing else of the machine."""
