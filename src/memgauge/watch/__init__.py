"""Records what a memory does in production, in one line of its host.

::

    from memgauge.watch import watch

    memory = watch(memory, "traffic", salt=os.environ["MEMORY_SALT"])

The host pays for it with each call, so it needs the standard library alone, and nothing that it does reaches the
host: what cannot be recorded is counted, and said once on the logger ``memgauge.watch``.
"""

from memgauge.watch.proxy import counted, watch

__all__ = ["counted", "watch"]
