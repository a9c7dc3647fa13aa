"""Ask again as the platform does, and no otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.systems.aml.client import AmlReply
    from memgauge.systems.aml.contract import Cycle, RetryRule


def persist(
    ask: Callable[[], AmlReply], rules: RetryRule, cycle: Cycle, sleep: Callable[[float], None]
) -> tuple[AmlReply, int]:
    """Ask until an answer is final, and return it with the number of attempts."""
    for attempt in range(1, rules.attempts + 1):
        reply = ask()
        if attempt == rules.attempts or not rules.again(reply.status):
            break
        sleep(cycle.wait_s(attempt, reply.status, reply.retry_after))
    return reply, attempt
