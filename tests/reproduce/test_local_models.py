"""Figures of local models: computed where they are installed, skipped with a sentence elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import UserError
from memgauge.reproduce import Status, reproduce
from memgauge.systems.models.catalogue import local_model, settings_of

if TYPE_CHECKING:
    from pathlib import Path


def test_figures_without_weights_are_skipped_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is named, with the command that brings it."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))
    rows = reproduce(["models-local"])
    wanted = {"e5_query_side_ndcg", "e5_document_side_ndcg", "minilm_ndcg", "minilm_speaker_ndcg"}
    assert wanted <= {row.name for row in rows}
    assert {row.status for row in rows} == {Status.SKIP}
    assert all("memgauge models install minilm" in row.reason for row in rows)


@pytest.mark.slow
@pytest.mark.data
def test_real_weights_find_what_they_found_before() -> None:
    """MiniLM to the third digit, and E5 twice as much with queries as queries."""
    for name in ("minilm", "e5"):
        try:
            settings_of(local_model(name))
        except UserError as error:
            pytest.skip(str(error))
    rows = {row.name: row for row in reproduce(["models-local"])}
    assert all(row.status in {Status.OK, Status.DIFFERS} for row in rows.values())
    query, document = rows["e5_query_side_ndcg"].measured, rows["e5_document_side_ndcg"].measured
    assert query is not None
    assert document is not None
    assert query > 1.9 * document
