"""What a layer notes that its models took."""

from __future__ import annotations

from memgauge.frame.models import spent
from memgauge.llm.access import Access
from memgauge.llm.messages import Counted, Finish, Message, Reply, Request, Usage
from memgauge.llm.scripted import Scripted


def test_a_sum_without_a_known_price_is_not_known() -> None:
    """It is not nothing, and neither is nothing unknown."""
    request = Request("m", (Message("user", "Where?"),))
    sums = {}
    for name, usd in {"unknown": None, "known": 0.5}.items():
        usage = Usage(10, 2, Counted.PROVIDER, usd)
        access = Access(Scripted([Reply("Paris", Finish.STOP, usage)], name="m"))
        before = spent([access])["m"]["usd"]
        access.complete(request)
        sums[name] = (before, spent([access])["m"]["usd"])
    assert sums == {"unknown": (0.0, None), "known": (0.0, 0.5)}
