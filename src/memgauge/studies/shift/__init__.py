"""ShiftBench: how fast does retrieval recover after a session boundary or a burst of off-topic turns?"""
