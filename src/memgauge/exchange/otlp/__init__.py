"""OpenTelemetry spans of memory operations become traffic, and runs become spans."""
