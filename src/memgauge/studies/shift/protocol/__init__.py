"""When things happen: questions placed, bursts drawn, and every knob of both."""
