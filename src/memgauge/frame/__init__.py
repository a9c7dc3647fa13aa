"""What every command shares: options, the console, where a result goes, exit codes."""
