"""The process that plays a memory: it holds turns and question texts, and what it says is parsed, never unpickled.

``inside`` runs in it, ``process`` starts it and talks to it, ``walls`` says what it cannot reach.
"""
