"""What the other end of a wire says that it asked models."""

from __future__ import annotations

from typing import cast

import pytest

from memgauge.systems.protocol import Metered, implements
from memgauge.systems.wire.opening import separate
from memgauge.systems.wire.usage import SystemUsage, total
from memgauge.text.tokens import count_tokens
from support.wire import HERE, turn


def test_what_is_embedded_in_another_process_is_told() -> None:
    """A served system counts what it hands to an embedder of ours; what it embeds for a search comes on top."""
    system = separate("dense:embedder=hashed")
    try:
        assert implements(cast("object", system), Metered)
        assert system.spent() == {}
        system.ingest([turn(1, "the beans")], HERE)
        system.search("which beans?", HERE, 3)
        (model, first), *others = system.spent().items()
        assert (model, others) == ("local:hashed words (256, stand-in)", [])
        system.search("which lentils?", HERE, 3)
        again = system.spent()[model]
        assert again["embedding_tokens"] == first["embedding_tokens"] + count_tokens("which lentils?")
        assert first["embedding_tokens"] > count_tokens("which beans?")
        assert again["calls"] == 0
    finally:
        system.close()


@pytest.mark.parametrize("told", [None, 3, ["m"], {"m": 3}, {"m": {"calls": "many"}}, {"m": {"calls": -1}}])
def test_what_is_no_count_counts_nothing(told: object) -> None:
    """Programs of others may say anything."""
    usage = SystemUsage()
    usage.add("ingest", 1.0, {"models": told})
    assert not any(count for counts in usage.models.values() for count in counts.values())


def test_models_add_up_over_answers_and_systems() -> None:
    """Each answer says what came since the last one."""
    one, two = SystemUsage(), SystemUsage()
    for usage in (one, one, two):
        usage.add("ingest", 1.0, {"models": {"m": {"calls": 1, "tokens_in": 5}}})
    assert one.models["m"]["tokens_in"] == 10
    assert total([one, two]).models["m"]["calls"] == 3
