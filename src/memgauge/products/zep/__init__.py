"""Zep's cloud by its HTTP API, against recorded shapes: never run against the cloud."""
