"""What a run is on disk: how it is written while it happens, sealed, and read ever after. It knows no player."""
