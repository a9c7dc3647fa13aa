"""The quality study: how good what a memory returns is, under definitions that hold."""
