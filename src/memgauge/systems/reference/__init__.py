"""Systems that are instruments themselves: floors, ceilings, and the deliberately bad."""
