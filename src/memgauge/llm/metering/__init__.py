"""A proxy in front of OpenAI-compatible addresses that passes calls on and writes down what they took.

It is apart from :mod:`memgauge.llm.served`, since a part of it stands in every process that plays a memory.
"""
